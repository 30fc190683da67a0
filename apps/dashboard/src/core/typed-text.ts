const separators = /[\s,.'’_]/g

/** Says whether the operator has typed what was asked for. A number counts with and without separators: 49,485 and 49485. */
export function isTyped(typed: string, wanted: string): boolean {
  if (typed.trim() === wanted) return true
  const digits = wanted.replaceAll(separators, '')
  return /^\d+$/.test(digits) && typed.replaceAll(separators, '') === digits
}
