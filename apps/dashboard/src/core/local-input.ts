const twoDigits = (number: number): string => String(number).padStart(2, '0')

/** Gives an instant as `<input type="datetime-local">` takes it, in the browser's time zone; an empty text when `iso` is no instant. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
  return `${day}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
}

/** Reads the text of an `<input type="datetime-local">` as an instant; undefined while the text is unfinished. */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
