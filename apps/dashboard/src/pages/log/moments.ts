const two = (value: number): string => String(value).padStart(2, '0')

/** Gives a time as `<input type="datetime-local">` takes it, in the browser's zone and to the minute; an empty text for no time. */
export function momentText(iso: string | undefined): string {
  if (iso === undefined) return ''
  const at = new Date(iso)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Reads the text of an `<input type="datetime-local">` as an ISO time in UTC; undefined when there is none. */
export function momentOf(text: string): string | undefined {
  const at = text === '' ? Number.NaN : new Date(text).getTime()
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
