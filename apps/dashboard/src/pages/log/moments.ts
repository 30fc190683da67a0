const two = (value: number): string => String(value).padStart(2, '0')

/** A moment as a field of the browser wants it, in the reader's own zone and to the minute; empty without one. */
export function momentText(iso: string | undefined): string {
  if (iso === undefined) return ''
  const at = new Date(iso)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The moment that such a field means, as ISO in UTC; undefined for none. */
export function momentOf(text: string): string | undefined {
  const at = text === '' ? Number.NaN : new Date(text).getTime()
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
