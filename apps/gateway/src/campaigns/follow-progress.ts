import { countDevices, readScan } from '@herald/contracts/calls/audience'
import { readCampaign } from '@herald/contracts/calls/campaigns'
import { readProgress, type Progress } from '@herald/contracts/calls/tracker'
import { Fault, notFound } from '@herald/contracts/fault'
import { perPlatform, platforms } from '@herald/contracts/platform'
import { noStats, type CampaignStatus, type Stats } from '@herald/contracts/stats'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import { apart } from '@herald/service/request-id'
import { etaSeconds, expectedPushes, paceOf, paceOverMs, type Sample } from './core/pace.ts'

/**
 * One process keeps at most this many progress streams open and refuses more. So it is bounded how many campaigns it reads each second for the
 * clients that watch.
 */
const mostWatchers = 200
const lookEveryMs = 1_000

/** How far a send has come, as its watchers see it. */
export type SendProgress = {
  status: CampaignStatus
  cancelling: boolean
  stats: Stats
  byPlatform: Progress['byPlatform']
  fannedOut: boolean
  /** How many pushes the send will have: exact once the fan-out has ended, before that by the share of devices looked at. Null while unknown. */
  expected: number | null
  ratePerSecond: number
  /** Null while `expected` is, and while pushes wait but none gets an outcome. */
  etaSeconds: number | null
}

/** A client that follows a send: it gets each change, a comment while the progress cannot be read, and the end. */
export type Watcher = { event(name: 'progress' | 'end', data: SendProgress): void; comment(text: string): void; end(): void }

/** Sends a watcher the progress from now on and gives the function that stops. Fault: queue_unavailable when too many watch or the gateway stops. */
export type Follow = (watcher: Watcher) => () => void

export type ProgressFeed = {
  /**
   * Reads the progress before the stream begins, so that an unknown campaign is refused at once. When another client follows the campaign already,
   * the latest reading is used. Faults: not_found, queue_unavailable, database_unavailable.
   */
  open(campaign: Followed): Promise<Follow>
  /** Ends every stream; a client that wants to go on following connects to another gateway. */
  close(): void
}
type Followed = { appId: string; campaignId: string }

/** Opens the feed of progress. Each second a campaign's progress is read once for all its watchers. A campaign without watchers is not read. */
export function openProgressFeed({ bus, log }: { bus: Bus; log: Log }): ProgressFeed {
  const sends = new Map<string, Send>()
  let watching = 0
  let closed = false

  const follow = (campaign: Followed, first: SendProgress, watcher: Watcher): (() => void) => {
    if (closed || watching >= mostWatchers) throw new Fault('queue_unavailable', 'Too many streams are open here. Try again shortly.')
    const known = sends.get(campaign.campaignId)
    const send = known ?? startSend(campaign, first)
    watching += 1
    send.watchers.add(watcher)
    watcher.event('progress', send.latest)
    if (isOver(send.latest)) finish(send)
    return () => {
      if (send.watchers.delete(watcher)) watching -= 1
      if (send.watchers.size === 0) stop(send)
    }
  }

  const startSend = (campaign: Followed, first: SendProgress): Send => {
    const send: Send = { campaign, watchers: new Set(), latest: first, samples: [sampleOf(first)], timer: undefined }
    sends.set(campaign.campaignId, send)
    plan(send)
    return send
  }
  // The timer serves all watchers, long after the request of the first watcher, so it is no part of that request's trace.
  const plan = (send: Send) => void (send.timer = apart(() => setTimeout(() => void lookAgain(send), lookEveryMs).unref()))
  const stop = (send: Send) => {
    clearTimeout(send.timer)
    if (sends.get(send.campaign.campaignId) === send) sends.delete(send.campaign.campaignId)
  }
  const finish = (send: Send) => {
    stop(send)
    for (const watcher of send.watchers) {
      watcher.event('end', send.latest)
      watcher.end()
    }
  }

  const lookAgain = async (send: Send) => {
    try {
      const seen = await look(bus, send.campaign, send)
      const changed = JSON.stringify(seen) !== JSON.stringify(send.latest)
      send.latest = seen
      if (changed) for (const watcher of send.watchers) watcher.event('progress', seen)
      if (isOver(seen)) return finish(send)
    } catch (error) {
      // A draft or an app can be deleted while a client follows it. Any other error may pass, so the watchers wait.
      if (Fault.is(error, 'not_found')) return finish(send)
      if (!Fault.is(error, 'database_unavailable') && !Fault.is(error, 'queue_unavailable'))
        log.error({ campaignId: send.campaign.campaignId, err: error }, 'the progress of a campaign could not be read')
      for (const watcher of send.watchers) watcher.comment('waiting')
    }
    if (send.watchers.size > 0 && !closed) plan(send)
  }

  return {
    async open(campaign) {
      const first = sends.get(campaign.campaignId)
      const seen = first?.campaign.appId === campaign.appId ? first.latest : await look(bus, campaign, { samples: [] })
      return (watcher) => follow(campaign, seen, watcher)
    },
    close() {
      closed = true
      for (const send of sends.values()) {
        stop(send)
        for (const watcher of send.watchers) watcher.end()
      }
    },
  }
}

type Send = {
  campaign: Followed
  watchers: Set<Watcher>
  latest: SendProgress
  timer: NodeJS.Timeout | undefined
} & Looks
/** What the looks at a send remember: the samples of its pace, and how many devices its app had at the first look that asked. */
type Looks = { samples: Sample[]; devices?: Promise<number | null> }

const nothingQueued: Progress = {
  stats: noStats,
  byPlatform: perPlatform(() => ({ queued: 0, settled: 0 })),
  fannedOut: false,
  settled: false,
}

/** Reads how far a send has come, and adds a sample to those that the pace is computed from. */
async function look(bus: Bus, campaign: Followed, looks: Looks): Promise<SendProgress> {
  const { samples } = looks
  // The status is read before the counters. So when the last event says that the campaign is over, its counters are complete.
  const known = await bus.call(readCampaign, campaign)
  if (!known) throw notFound()
  const progress = await bus.call(readProgress, campaign)
  const { stats, byPlatform, fannedOut } = progress ?? nothingQueued
  const now = sampleOf({ byPlatform })
  samples.push(now)
  while (samples[0] && now.at - samples[0].at > paceOverMs) samples.shift()
  const ratePerSecond = paceOf(samples)
  const expected = fannedOut ? stats.queued : progress ? await expect(bus, campaign, looks, stats.queued) : null
  return {
    status: known.status,
    cancelling: known.cancelling,
    stats,
    byPlatform,
    fannedOut,
    expected,
    ratePerSecond,
    etaSeconds: expected === null ? null : etaSeconds(expected - now.settled, ratePerSecond),
  }
}

/** Estimates how many pushes a send will have whose fan-out is under way. Without an answer of audience the number is unknown, which is no error. */
async function expect(bus: Bus, { appId, campaignId }: Followed, looks: Looks, queued: number): Promise<number | null> {
  const scan = await bus.call(readScan, { appId, campaignId }).catch(() => null)
  if (scan === null) return null
  // A count of millions of devices takes seconds, so one is asked for each followed send, and no look waits for it.
  looks.devices ??= bus.call(countDevices, { appId }).then(
    ({ devices }) => platforms.reduce((sum, platform) => sum + devices[platform].total, 0),
    () => null,
  )
  const devices = scan.listed ?? (await Promise.race([looks.devices, Promise.resolve(null)]))
  return expectedPushes({ queued, scanned: scan.scanned, devices })
}

const sampleOf = ({ byPlatform }: Pick<SendProgress, 'byPlatform'>): Sample => ({
  at: performance.now(),
  settled: platforms.reduce((sum, platform) => sum + byPlatform[platform].settled, 0),
})

const isOver = ({ status }: SendProgress): boolean => status === 'sent' || status === 'cancelled' || status === 'failed'
