/** The named parameters of a URL that are texts and not empty; whatever else stands there is left out. */
export function searchTexts<Name extends string>(raw: Record<string, unknown>, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = raw[name]
    // A router reads `?q=7` as the number 7.
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    if (typeof text === 'string' && text !== '') found[name] = text
  }
  return found
}
