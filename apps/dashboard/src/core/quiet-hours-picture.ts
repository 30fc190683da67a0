export type Span = { start: number; end: number }

/** Gives the minutes since midnight of a time such as 22:30; undefined when the text is no time of day. */
export function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/**
 * Gives the quiet parts of a day in minutes since midnight: two when they go over midnight, none when start and end are equal or are not times. The
 * minute `start` is quiet, the minute `end` is not.
 */
export function quietSpans(start: string, end: string): Span[] {
  const from = minutesOf(start)
  const to = minutesOf(end)
  if (from === undefined || to === undefined || from === to) return []
  if (from < to) return [{ start: from, end: to }]
  const evening = { start: from, end: 1440 }
  return to === 0 ? [evening] : [{ start: 0, end: to }, evening]
}

/** Describes the quiet hours in a sentence. The sentence stands below the picture, and a screen reader reads it instead of the picture. */
export function describeQuiet(start: string, end: string): string {
  const minutes = quietSpans(start, end).reduce((sum, span) => sum + span.end - span.start, 0)
  if (minutes === 0) return 'No quiet hours.'
  const length = [`${Math.floor(minutes / 60)} h`, ...(minutes % 60 === 0 ? [] : [`${minutes % 60} min`])].join(' ')
  return `Quiet from ${start} to ${end}${end < start && end !== '00:00' ? ' on the next day' : ''}: ${length} of each day.`
}
