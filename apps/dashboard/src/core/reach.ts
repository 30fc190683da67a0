import type { components } from '../api/schema.gen.ts'

type Report = Pick<components['schemas']['DryRunNotificationOfAppAnswer'], 'audience' | 'experiment' | 'skips' | 'waves'>

/**
 * Gives a dry run's devices: `matched` by the audience, or the test group of an A/B test, `skipped` of these, those that `get` it, and `later`, those
 * whose wave is not the first.
 */
export function reachOf({ audience, experiment, skips, waves }: Report): { matched: number; skipped: number; get: number; later: number } {
  const matched = experiment?.inSample ?? audience.devices
  // Opted-out devices are no part of the audience: only an inbox reaches them.
  const skipped = skips.reduce((sum, { reason, devices }) => sum + (reason === 'opted_out' ? 0 : devices), 0)
  const later = waves.slice(1).reduce((sum, { devices }) => sum + devices, 0)
  return { matched, skipped, get: Math.max(0, matched - skipped), later }
}
