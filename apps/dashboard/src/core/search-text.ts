/**
 * Writes search parameters for an address. The router reads a value that is JSON as JSON, so a text that looks like a number (as some ids do) is
 * written in quotes.
 */
export function searchText(search: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(search).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(quoted(value))}`],
  )
  return given.length === 0 ? '' : `?${given.join('&')}`
}

function quoted(text: string): string {
  try {
    JSON.parse(text)
    return JSON.stringify(text)
  } catch {
    return text
  }
}
