import { perPlatform, sumOf } from '@herald/contracts/platform'
import type { components } from '../api/schema.gen.ts'

type Overview = components['schemas']['ReadOverviewAnswer']

/**
 * Says whether an app has no device, or has queued no push in the days that its overview shows. The navigation of such an app offers the first steps.
 */
export function isNewApp({ devices, days }: Pick<Overview, 'devices' | 'days'>): boolean {
  const known = sumOf(perPlatform((platform) => devices[platform].total))
  return known === 0 || days.every(({ queued }) => queued === 0)
}
