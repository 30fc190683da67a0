import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { isFollowed, isOver, withSample, type PlatformSample, type Progress } from '../../core/progress.ts'
import { useStream } from '../../live/useStream.ts'

export type Campaign = components['schemas']['CampaignWithRates']

/** A campaign as the page shows it at one moment: status and counters of one and the same reading, never mixed of two. */
export type Reading = Pick<Campaign, 'status' | 'cancelling' | 'stats'> & {
  readAt: number
  /** What only the stream tells. */
  live: Pick<Progress, 'byPlatform' | 'fannedOut' | 'ratePerSecond' | 'etaSeconds'> | null
}

const path = '/v1/admin/apps/{appId}/campaigns/{id}' as const
/** Devices go on reporting after the last push: soon after it that is what the page is watched for. */
const [soonMs, afterSoonMs, hourMs] = [5_000, 30_000, 3_600_000]

/** Reads a campaign and follows it while it is under way. The newest of what the stream and a read have told is what is shown. */
export function useSend(appId: string, id: string) {
  const queryClient = useQueryClient()
  const init = useMemo(() => ({ params: { path: { appId, id } } }), [appId, id])
  const [streamed, setStreamed] = useState<{ of: string; progress: Progress; readAt: number; samples: PlatformSample[] } | null>(null)
  const query = api.useQuery('get', path, init, {
    refetchInterval: ({ state: { data } }) => {
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
    if (campaign && (progress.status !== campaign.status || progress.cancelling !== campaign.cancelling)) readAllAgain()
  }
  const follows = campaign !== undefined && isFollowed(campaign.status)
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

  const own = streamed?.of === id ? streamed : null
  const reading = campaign && newest(campaign, query.dataUpdatedAt, own)
  return { query, campaign, reading, stream, samples: own?.samples ?? [], readAllAgain }
}

function newest(campaign: Campaign, campaignAt: number, streamed: { progress: Progress; readAt: number } | null): Reading {
  const live = streamed?.progress ?? null
  // A read that is newer than the stream's last word has no rates of its own; those of the stream stay until its next.
  if (!streamed || streamed.readAt < campaignAt)
    return {
      status: campaign.status,
      cancelling: campaign.cancelling,
      stats: campaign.stats,
      readAt: campaignAt,
      live: isFollowed(campaign.status) ? live : null,
    }
  const { status, cancelling, stats } = streamed.progress
  return { status, cancelling, stats, readAt: streamed.readAt, live }
}
