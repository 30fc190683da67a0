const two = (value: number): string => String(value).padStart(2, '0')

/** A moment as the browser's date field takes it, in the reader's zone and to the minute; empty for none. */
export function momentText(iso: string | undefined): string {
  if (iso === undefined) return ''
  const at = new Date(iso)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Reads such a field as an ISO time in UTC; undefined when it is empty. */
export function momentOf(text: string): string | undefined {
  const at = text === '' ? Number.NaN : new Date(text).getTime()
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
