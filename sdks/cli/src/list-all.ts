import type { Herald } from '@herald/node'

type Page<Item> = { items: Item[]; nextCursor: string | null }

/** Reads a list of Herald page by page until its end, or until it has `most` items. */
export async function listAll<Item>(herald: Herald, path: string, most = 100_000): Promise<Item[]> {
  const found: Item[] = []
  for (let cursor: string | null | undefined; cursor !== null && found.length < most;) {
    const page: Page<Item> = await herald.request('GET', path, { query: { limit: 200, cursor } })
    found.push(...page.items)
    cursor = page.nextCursor
  }
  return found
}
