import type { AudienceDryRun } from '@herald/contracts/dry-run'

/** How long a send would take. `devices`: those that are not skipped. */
export type Estimate = { seconds: number | null; perSecond: number | null; basis: 'recent_sends' | 'none'; devices: number }

/** Estimates by the pace of the app's last large sends; without one there is no estimate (spec: sending/dry-run-estimate). */
export function estimateOf(
  { audience: { byPlatform }, experiment, skips }: Pick<AudienceDryRun, 'audience' | 'experiment' | 'skips'>,
  pace: { pushes: number; seconds: number } | null,
): Estimate {
  const queued = experiment?.inSample ?? byPlatform.ios + byPlatform.android + byPlatform.web
  const devices = Math.max(
    0,
    skips.reduce((left, skip) => left - skip.devices, queued),
  )
  if (!pace) return { seconds: null, perSecond: null, basis: 'none', devices }
  const perSecond = pace.pushes / pace.seconds
  return { seconds: Math.ceil(devices / perSecond), perSecond: Math.round(perSecond * 10) / 10, basis: 'recent_sends', devices }
}
