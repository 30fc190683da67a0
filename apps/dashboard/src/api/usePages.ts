import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ApiFault } from './fault.ts'
import { faultOf } from './fault.ts'

/** A page of a list as the API answers it. */
export type PageOf<T> = { items: T[]; nextCursor: string | null }

/**
 * A page may be empty although others follow: the API looks at a part of a long list at a time. So many empty pages are read on without a
 * click: half a million campaigns of the log.
 */
const mostEmpty = 50

/** A list over the API's cursors: `items` are all pages read so far, `loadMore` reads the next one. */
export function usePages<T>(queryKey: QueryKey, fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const fault: ApiFault | undefined = query.error === null ? undefined : faultOf(query.error)
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const looksOn = items.length === 0 && query.hasNextPage && !query.isError && (query.data?.pages.length ?? 0) < mostEmpty
  const isNext = looksOn && !query.isFetching
  const { fetchNextPage } = query
  useEffect(() => {
    if (isNext) void fetchNextPage()
  }, [isNext, fetchNextPage])
  return {
    items,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    isLoading: query.isLoading || looksOn,
    looksOn,
    isLoadingMore: query.isFetchingNextPage,
    fault,
    query,
  }
}
