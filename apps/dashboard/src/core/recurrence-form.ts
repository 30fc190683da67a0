import type { Schedule } from '@herald/contracts/campaign'

export type Recurring = Extract<Schedule, { type: 'recurring' }>
export type Period = Recurring['every']

/** Gives a recurrence of another period. Which days it names depends on the period; the rest stays. `weekday` is that of today. */
export function withPeriod(
  { daysOfWeek, daysOfMonth: _days, nthWeekday: _nth, ...rest }: Recurring,
  every: Period,
  weekday: number,
): Recurring {
  if (every === 'week') return { ...rest, every, daysOfWeek: daysOfWeek ?? [weekday] }
  return every === 'month' ? { ...rest, every, daysOfMonth: [1] } : { ...rest, every }
}

/** Gives a recurrence without the fields that are undefined in `changed`, as the API takes it. */
export const withFields = (value: Recurring, changed: { [Name in keyof Recurring]?: Recurring[Name] | undefined }): Recurring =>
  Object.fromEntries(Object.entries({ ...value, ...changed }).filter(([, given]) => given !== undefined)) as Recurring

/** Writes days of a month as a field shows them: "1, 15, last". */
export const textOfDays = (days: readonly number[]): string => days.map((day) => (day === -1 ? 'last' : String(day))).join(', ')

/** Reads days of a month from a field, in their order and each once; undefined while the text has anything else, or no day. */
export function daysOfText(text: string): number[] | undefined {
  const words = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
  const days = words.map((word) => (word === 'last' ? -1 : /^\d{1,2}$/.test(word) ? Number(word) : 0))
  if (days.length === 0 || days.some((day) => day === 0 || day > 31)) return undefined
  const place = (day: number) => (day === -1 ? 32 : day)
  return [...new Set(days)].toSorted((one, other) => place(one) - place(other))
}

/** Gives the dates with one more, in their order and each once. */
export const withDate = (dates: readonly string[], date: string): string[] => [...new Set([...dates, date])].toSorted()
