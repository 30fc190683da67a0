import { perPlatform, type Platform } from '@herald/contracts/platform'

export type FunnelCounts = { sent: number; delivered: number; opened: number; clicked: number; dismissed: number }
export type Funnel = {
  steps: { key: 'sent' | 'delivered' | 'opened' | 'clicked'; label: string; value: number; of: number | null }[]
  /**
   * The platforms from which the app got no report, each with the number of pushes that this send has sent to it. What became of those pushes on the
   * devices is unknown.
   */
  silent: { platform: Platform; sent: number }[]
  /** How many pushes this send has sent to the other platforms, which report; null while the numbers by platform are unknown. */
  reporting: number | null
}

/** How many reports an app got from each platform, from 30 days before a send to 30 days after it. */
export type Reports = Readonly<Record<Platform, number>>

/**
 * Gives the funnel from sent to clicked. A platform without reports counts as unable to report, as a rule for lack of an extension or SDK. Its
 * pushes are left out: 0 % delivered would be a false alarm.
 */
export function funnelOf(counts: FunnelCounts, sentBy: Readonly<Record<Platform, number | null>> | null, reports: Reports | null): Funnel {
  const platforms = Object.entries(sentBy ?? {}) as [Platform, number | null][]
  const isKnown = sentBy !== null && reports !== null && platforms.every(([, sent]) => sent !== null)
  const sentTo = platforms.flatMap(([platform, sent]) => (sent ? [{ platform, sent }] : []))
  const unreported = isKnown ? sentTo.filter(({ platform }) => reports[platform] === 0) : []
  // The series behind `reports` lacks the reports of tests, and those that came after it was last read. So this send may have a report although
  // `reports` has none. Then no platform is left out.
  const hasOwnReport = counts.delivered + counts.opened + counts.clicked + counts.dismissed > 0
  const silent = hasOwnReport && unreported.length === sentTo.length ? [] : unreported
  const unheard = silent.reduce((sum, { sent }) => sum + sent, 0)
  const reporting = isKnown ? Math.max(0, counts.sent - unheard) : null
  // Each report is a share of the sent pushes, because a device may report an open without a delivery.
  const ofReporting = reporting ?? counts.sent
  return {
    steps: [
      { key: 'sent', label: 'Sent', value: counts.sent, of: null },
      { key: 'delivered', label: 'Confirmed deliveries', value: counts.delivered, of: ofReporting },
      { key: 'opened', label: 'Opened', value: counts.opened, of: ofReporting },
      { key: 'clicked', label: 'Clicked', value: counts.clicked, of: ofReporting },
    ],
    silent,
    reporting,
  }
}

/** Adds up the reports of a series by platform. */
export function reportsOf(
  points: readonly { platform?: Platform | undefined; delivered: number; opened: number; clicked: number; dismissed: number }[],
): Reports {
  const reports = perPlatform(() => 0)
  for (const { platform, delivered, opened, clicked, dismissed } of points)
    if (platform !== undefined) reports[platform] += delivered + opened + clicked + dismissed
  return reports
}

/** Says what an open and a click are, beside their counts: in other products a click is the tap on the push. */
export const whatIsCounted = 'Opened: tapped the push or a button. Clicked: followed its link or pressed a button.'
