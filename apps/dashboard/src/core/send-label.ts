import type { Schedule } from '@herald/contracts/campaign'
import { countText } from './number.ts'
import { scheduleText } from './schedule-text.ts'

/** Gives the text of the button that sends: to how many devices, and whether at once. A message for an instant that has passed is sent at once. */
export function sendLabel(schedule: Schedule, devices: number, now: Date): string {
  const whom = `${countText(devices)} ${devices === 1 ? 'device' : 'devices'}`
  if (schedule.type === 'recurring') return `Start recurring campaign (${whom} per send)`
  const isAtOnce = schedule.type === 'now' || (schedule.type === 'at' && new Date(schedule.at) <= now)
  return isAtOnce ? `Send to ${whom}` : `Schedule for ${whom}`
}

/** Gives the text of the button with which a second person approves a send and starts it. */
export function approveLabel(schedule: Schedule, devices: number, now: Date): string {
  const label = sendLabel(schedule, devices, now)
  return `Approve and ${label.charAt(0).toLowerCase()}${label.slice(1)}`
}

/** Says when a message goes out, for the sheet that confirms it. `later`: devices for which quiet hours hold it. */
export function whenOf(schedule: Schedule, now: Date, later = 0): string {
  const isAtOnce = schedule.type === 'now' || (schedule.type === 'at' && new Date(schedule.at) <= now)
  if (isAtOnce && later > 0) return `Now, and after their quiet hours for ${countText(later)} of these devices`
  return isAtOnce ? 'Now' : scheduleText(schedule as Parameters<typeof scheduleText>[0])
}
