import { perPlatform, sumOf } from '@herald/contracts/platform'
import type { components } from '../api/schema.gen.ts'

type Overview = components['schemas']['ReadOverviewAnswer']

/** Says whether an app has no device, or has sent nothing in the days of its overview. The first steps are offered to such an app. */
export function isNewApp({ devices, days }: Pick<Overview, 'devices' | 'days'>): boolean {
  const known = sumOf(perPlatform((platform) => devices[platform].total))
  return known === 0 || days.every(({ queued }) => queued === 0)
}
