import { defaultLateMinutes } from './late-minutes.ts'
import { instantOf, nextInstantOf } from './local-time.ts'

/** The local time of a send to each user in their own time zone: at its next such time, or on `date`. `lateMinutes` goes with `date`. */
export type LocalMoment = { localTime: string; date?: string | undefined; lateMinutes?: number | undefined }

/** The zone in which a day ends last. */
const lastZone = 'Etc/GMT+12'

/**
 * Says when a send that is asked for at `asked` is due in a time zone (spec: campaigns/user-timezone-date); `expired` when its date and time passed
 * there too long ago. An instant that has passed means at once.
 */
export function dueIn({ localTime, date, lateMinutes = defaultLateMinutes }: LocalMoment, zone: string, asked: Date): Date | 'expired' {
  if (date === undefined) return nextInstantOf(localTime, zone, asked)
  const at = instantOf(date, localTime, zone)
  return at < asked && asked.getTime() - at.getTime() >= lateMinutes * 60_000 ? 'expired' : at
}

/** Whether the date and time of a send passed so long ago in every time zone on earth that nobody would get it. */
export const hasPassedEverywhere = (moment: LocalMoment, now: Date): boolean => dueIn(moment, lastZone, now) === 'expired'
