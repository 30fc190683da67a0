import type { Schedule } from '@herald/contracts/campaign'
import { countText } from './number.ts'

/** Above this number of devices the operator must type the number. */
const mostUntyped = 10_000

/** Gives the text of the button that sends: to how many devices, and whether at once. A message for an instant that has passed is sent at once. */
export function sendLabel(schedule: Schedule, devices: number, now: Date): string {
  const whom = `${countText(devices)} ${devices === 1 ? 'device' : 'devices'}`
  if (schedule.type === 'recurring') return `Start it, for ${whom} each time`
  const isAtOnce = schedule.type === 'now' || (schedule.type === 'at' && new Date(schedule.at) <= now)
  return isAtOnce ? `Send to ${whom}` : `Schedule for ${whom}`
}

/** Gives what the operator must type before a send to this many devices; undefined when nothing must be typed. */
export const typedFor = (devices: number): string | undefined => (devices > mostUntyped ? String(devices) : undefined)
