const twoDigits = (number: number): string => String(number).padStart(2, '0')

/** An instant as `<input type="datetime-local">` wants it, in the browser's zone; empty for what is no instant. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
  return `${day}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
}

/** Reads such an input as an instant in the browser's zone; undefined while the input is unfinished. */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
