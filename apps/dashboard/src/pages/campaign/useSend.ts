import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { isFollowed, isOver, withSample, type PlatformProgress, type PlatformSample, type Progress } from '../../core/progress.ts'
import { useStream } from '../../live/useStream.ts'

export type Campaign = components['schemas']['CampaignWithRates']

/** The status and the counters of a campaign at one moment, always from the same answer. */
export type Reading = Pick<Campaign, 'status' | 'cancelling' | 'stats'> & {
  readAt: number
  /** The counters by platform of the same moment; null when the reading did not come from the stream. */
  byPlatform: PlatformProgress | null
  /**
   * What the stream's last event said: whether the fan-out is complete, the pushes expected, the speed, and the time left. Null before the first event, and when a newer
   * read finds the send neither sending nor paused.
   */
  pace: Pick<Progress, 'fannedOut' | 'expected' | 'ratePerSecond' | 'etaSeconds'> | null
}

const path = '/v1/admin/apps/{appId}/campaigns/{id}' as const
/**
 * A campaign is read every 5 s in the hour after its last outcome, because devices still report then, and while it is a recall that waits to begin.
 * Otherwise it is read every 30 s.
 */
const [soonMs, afterSoonMs, hourMs] = [5_000, 30_000, 3_600_000]
/** How often a campaign is read that is about to go out. */
const undoMs = 1_000

/** Whether a campaign that goes out at once is delayed, so that it can be taken back. A campaign with a time of its own is cancelled instead. */
export const waitsForUndo = ({ status, schedule, nextAt }: Campaign): boolean =>
  status === 'scheduled' &&
  nextAt !== null &&
  (schedule === null || schedule.type === 'now' || (schedule.type === 'at' && schedule.at < nextAt))

/**
 * Reads a campaign, and follows its stream while it is being sent or paused. `reading` is the last event while the stream is open and the event has
 * the last read's status, else the newer of the two.
 */
export function useSend(appId: string, id: string) {
  const queryClient = useQueryClient()
  const init = useMemo(() => ({ params: { path: { appId, id } } }), [appId, id])
  const [streamed, setStreamed] = useState<{ of: string; progress: Progress; readAt: number; samples: PlatformSample[] } | null>(null)
  const query = api.useQuery('get', path, init, {
    refetchInterval: ({ state: { data } }) => {
      // Nothing changes before the send goes out, so it is read just after that, and then every second until it has begun.
      if (data && waitsForUndo(data)) return Math.max(undoMs, Date.parse(data.nextAt ?? '') - Date.now() + 300)
      // A recall begins when the campaign that it recalls has ended.
      if (data?.status === 'scheduled' && data.recallOf !== null) return soonMs
      if (!data || !isOver(data.status)) return afterSoonMs
      const isRecent = data.settledAt !== null && Date.now() - Date.parse(data.settledAt) < hourMs
      return isRecent ? soonMs : afterSoonMs
    },
  })
  const campaign = query.data

  const readAgain = useCallback(() => {
    void queryClient.invalidateQueries({ queryKey: ['get', path, init] })
  }, [queryClient, init])
  const readAllAgain = useCallback(() => {
    readAgain()
    for (const part of ['breakdown', 'waves', 'runs', 'curve'] as const)
      void queryClient.invalidateQueries({ queryKey: ['get', `${path}/${part}`] })
    void queryClient.invalidateQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/audit'] })
  }, [queryClient, readAgain])

  const take = (data: unknown) => {
    const progress = data as Progress
    const at = performance.now()
    setStreamed((earlier) => ({
      of: id,
      progress,
      readAt: Date.now(),
      samples: withSample(earlier?.of === id ? earlier.samples : [], { at, byPlatform: progress.byPlatform }),
    }))
    if (campaign && !isSameState(progress, campaign)) readAllAgain()
  }
  const own = streamed?.of === id ? streamed : null
  const newest = campaign && newestOf(campaign, query.dataUpdatedAt, own)
  const follows = newest !== undefined && isFollowed(newest.status)
  const stream = useStream(
    follows ? `/v1/admin/apps/${appId}/campaigns/${id}/progress` : undefined,
    {
      progress: take,
      end(data) {
        take(data)
        readAllAgain()
      },
    },
    readAgain,
  )

  // While the stream is open all numbers come from its events. A read between two events would mix numbers of two moments.
  const isStreamed = stream.state === 'live' && own !== null && campaign !== undefined && isSameState(own.progress, campaign)
  const reading = isStreamed ? ofStream(own) : newest
  return { query, campaign, reading, stream, samples: own?.samples ?? [], readAllAgain }
}

type Streamed = { progress: Progress; readAt: number }
type State = Pick<Campaign, 'status' | 'cancelling'>

const isSameState = (one: State, other: State): boolean => one.status === other.status && one.cancelling === other.cancelling

function ofStream({ progress, readAt }: Streamed): Reading {
  const { status, cancelling, stats, byPlatform } = progress
  return { status, cancelling, stats, byPlatform, readAt, pace: progress }
}

function newestOf(campaign: Campaign, campaignAt: number, streamed: Streamed | null): Reading {
  if (streamed && streamed.readAt >= campaignAt) return ofStream(streamed)
  const { status, cancelling, stats } = campaign
  return { status, cancelling, stats, byPlatform: null, readAt: campaignAt, pace: isFollowed(status) ? (streamed?.progress ?? null) : null }
}

export type Breakdown = components['schemas']['ReadBreakdownAnswer']

/** Reads the counters of a campaign by platform and code: every 5 s while the page follows the send, else once. */
export function useBreakdown(appId: string, id: string, reading: Reading | undefined) {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}/breakdown',
    { params: { path: { appId, id } } },
    { enabled: reading !== undefined && reading.stats.queued > 0, refetchInterval: reading && isFollowed(reading.status) ? 5_000 : false },
  )
  return data
}
