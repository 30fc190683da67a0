import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ApiFault } from './fault.ts'
import { faultOf } from './fault.ts'

/** A page of a list as the API answers it. */
export type PageOf<T> = { items: T[]; nextCursor: string | null }

/**
 * While a list has no row yet, `usePages` reads up to this many pages without a click. A page may be empty although more follow, because the API
 * searches only a part of a long list at a time.
 */
const mostEmpty = 50

/**
 * Reads a list of the API page by page. `items` are all rows read so far, and `loadMore` reads the next page. `looksOn` says that all pages so far
 * were empty and the next one is being read.
 */
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
