/** What to list: `q` is the beginning of a name, `limit` the number of items of a page, `cursor` the `nextCursor` of the page before. */
export type ListQuery = { q?: string; limit?: number; cursor?: string }
export type Page<Item> = { items: Item[]; nextCursor: string | null }

/** A list, newest first. `for await` goes through all items, and asks for each page only when it gets there. `page()` gives one page. */
export type List<Item> = AsyncIterable<Item> & { page(): Promise<Page<Item>> }

/**
 * Makes a list from a function that reads one page. Going through the list throws an Error when a page names its own cursor as the next one, because
 * the list would never end.
 */
export function listOf<Item>(query: ListQuery, read: (query: ListQuery) => Promise<Page<Item>>): List<Item> {
  return {
    page: () => read(query),
    async *[Symbol.asyncIterator]() {
      for (let cursor = query.cursor; ;) {
        const { items, nextCursor } = await read(cursor === undefined ? query : { ...query, cursor })
        yield* items
        if (nextCursor === null) return
        if (nextCursor === cursor) throw new Error('Herald: the list does not go on, its cursor leads to itself')
        cursor = nextCursor
      }
    },
  }
}
