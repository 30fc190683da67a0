/**
 * Reads tags that are typed as `name=value`, one per line. `5` becomes a number and `true` a boolean; in double quotes they stay texts. A line
 * without `=` is a tag with the value true.
 */
export function readTagLines(text: string): Record<string, string | number | boolean> {
  const tags: Record<string, string | number | boolean> = {}
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue
    const at = line.indexOf('=')
    const name = at === -1 ? line : line.slice(0, at).trim()
    tags[name] = at === -1 ? true : readValue(line.slice(at + 1).trim())
  }
  return tags
}

function readValue(text: string): string | number | boolean {
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return text.slice(1, -1)
  if (text === 'true' || text === 'false') return text === 'true'
  const number = Number(text)
  return text !== '' && Number.isFinite(number) ? number : text
}
