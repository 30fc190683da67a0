/**
 * Writes search parameters for an address. A text that is valid JSON, such as an id of digits only, is written in quotes, because the router would
 * read it as a number or another value that is no text.
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
