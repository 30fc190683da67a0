import type { Platform } from '@herald/contracts/platform'

export type FunnelCounts = { sent: number; delivered: number; opened: number; clicked: number; dismissed: number }
export type Funnel = {
  steps: { key: 'sent' | 'delivered' | 'opened' | 'clicked'; label: string; value: number; of: number | null }[]
  /** Platforms whose devices reported nothing to this app: what they got is not known. */
  silent: { platform: Platform; sent: number }[]
  /** Sent to platforms that report; null where what each platform was sent is not known. */
  reporting: number | null
}

/** What an app's devices reported by platform, over the time around a send. */
export type Reports = Readonly<Record<Platform, number>>

/**
 * From sent to clicked. A platform from which this app has heard nothing cannot report (its app has no extension or SDK that does), so what it was sent
 * is set apart and is in no share: 0 % delivered would be a false alarm.
 */
export function funnelOf(counts: FunnelCounts, sentBy: Readonly<Record<Platform, number | null>> | null, reports: Reports | null): Funnel {
  const platforms = Object.entries(sentBy ?? {}) as [Platform, number | null][]
  const isKnown = sentBy !== null && reports !== null && platforms.every(([, sent]) => sent !== null)
  const silent = isKnown
    ? platforms
        .filter(([platform, sent]) => (sent ?? 0) > 0 && reports[platform] === 0)
        .map(([platform, sent]) => ({ platform, sent: sent ?? 0 }))
    : []
  const unheard = silent.reduce((sum, { sent }) => sum + sent, 0)
  const reporting = isKnown ? Math.max(0, counts.sent - unheard) : null
  // A report is never more than what it is a share of would allow to say: an open can arrive without its delivery.
  const ofReporting = reporting ?? counts.sent
  return {
    steps: [
      { key: 'sent', label: 'Sent', value: counts.sent, of: null },
      { key: 'delivered', label: 'Delivered', value: counts.delivered, of: ofReporting },
      { key: 'opened', label: 'Opened', value: counts.opened, of: ofReporting },
      { key: 'clicked', label: 'Clicked', value: counts.clicked, of: ofReporting },
    ],
    silent,
    reporting,
  }
}

/** What points of a series by platform report in all. */
export function reportsOf(
  points: readonly { platform?: Platform | undefined; delivered: number; opened: number; clicked: number; dismissed: number }[],
): Reports {
  const reports = { ios: 0, android: 0, web: 0 }
  for (const { platform, delivered, opened, clicked, dismissed } of points)
    if (platform !== undefined) reports[platform] += delivered + opened + clicked + dismissed
  return reports
}
