/** RFC 7541 Appendix A, from index 1: `name` or `name: value`. */
const lines = `
:authority|:method: GET|:method: POST|:path: /|:path: /index.html|:scheme: http|:scheme: https|:status: 200|:status: 204|:status: 206|:status: 304|:status: 400
:status: 404|:status: 500|accept-charset|accept-encoding: gzip, deflate|accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization
cache-control|content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from
host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range
referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate`

export type Field = { readonly name: string; readonly value: string }

/** The static table of HPACK. Its entry at position 0 has index 1. */
export const staticTable: readonly Field[] = lines
  .trim()
  .split(/[|\n]/)
  .map((line) => {
    const [name = '', value = ''] = line.split(/(?<=.): /)
    return { name, value }
  })

/** The lowest static index of each name. */
export const staticIndexes: ReadonlyMap<string, number> = new Map(
  staticTable.map((field, position) => [field.name, position + 1] as const).toReversed(),
)
