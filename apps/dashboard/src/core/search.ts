/** A text of the address, or nothing. The router reads `?q=12` as a number, which is a text too. */
export function textIn(raw: Record<string, unknown>, key: string): string | undefined {
  const value = raw[key]
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined
}

/** One of some words of the address, or nothing. */
export function wordIn<T extends string>(raw: Record<string, unknown>, key: string, words: readonly T[]): T | undefined {
  return words.find((word) => word === raw[key])
}

/** Yes or no of the address, or nothing. */
export function flagIn(raw: Record<string, unknown>, key: string): boolean | undefined {
  const value = raw[key]
  return value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined
}

/** A whole number of the address within its limits, or nothing. */
export function numberIn(raw: Record<string, unknown>, key: string, least: number, most: number): number | undefined {
  const value = Number(raw[key])
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined
}

/** Without what is undefined, so that the address holds only what is set. */
export function tidy<T extends Record<string, unknown>>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T
}
