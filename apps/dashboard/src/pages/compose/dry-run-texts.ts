import { countText } from '../../core/number.ts'

const reasons: Record<string, string> = {
  silent_web: 'Browsers take no silent messages',
  quiet_hours: 'They are in quiet hours',
  frequency_cap: 'They have had their share',
  empty_content: 'Nothing is left of the text for them',
  opted_out: 'Opted out',
  invalidated: 'Their token is dead',
  expired: 'It waited too long',
  cancelled: 'Cancelled',
  not_in_target: 'Not in the audience',
  not_in_experiment: 'Not in the experiment’s sample',
}

/** Says why a device is left out. A reason that this page does not know is shown as it is. */
export const whyLeftOut = (reason: string): string => reasons[reason] ?? reason.replaceAll('_', ' ')

/** Writes a warning of a dry run as a sentence. */
export const warningText = ({ path, message, devices }: { path: string; message: string; devices: number | null }): string =>
  `${path === '' ? 'The message' : path} ${message}${devices === null ? '' : ` (${countText(devices)} ${devices === 1 ? 'device' : 'devices'})`}.`

/** Writes a duration in seconds, minutes or hours. */
export function durationText(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}
