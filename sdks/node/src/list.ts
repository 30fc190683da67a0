/** The options of a list: the beginning of a name, and the number of items of a page. */
export type ListQuery = { q?: string; limit?: number; cursor?: string }
export type Page<Item> = { items: Item[]; nextCursor: string | null }

/** All items, newest first, fetched page by page as they are used; or one page. */
export type List<Item> = AsyncIterable<Item> & { page(): Promise<Page<Item>> }

/** A list whose pages are read by `read`. A cursor that leads to itself throws an Error instead of looping for ever. */
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
