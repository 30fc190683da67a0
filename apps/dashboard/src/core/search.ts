/** Reads a text from the search parameters; undefined when there is none. The router reads `?q=12` as a number, which becomes a text again. */
export function textIn(raw: Record<string, unknown>, key: string): string | undefined {
  const value = raw[key]
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined
}

/** Reads one of `words` from the search parameters; undefined for anything else. */
export function wordIn<T extends string>(raw: Record<string, unknown>, key: string, words: readonly T[]): T | undefined {
  return words.find((word) => word === raw[key])
}

/** Reads true or false from the search parameters; undefined for anything else. */
export function flagIn(raw: Record<string, unknown>, key: string): boolean | undefined {
  const value = raw[key]
  return value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined
}

/** Removes parameters that are undefined, so that they are not in the address. */
export function tidy<T extends Record<string, unknown>>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T
}
