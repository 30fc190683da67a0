import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query'
import type { ApiFault } from './fault.ts'
import { faultOf } from './fault.ts'

/** A page of a list as the API answers it. */
export type PageOf<T> = { items: T[]; nextCursor: string | null }

/** Reads a list of the API page by page. `items` are all rows read so far; `loadMore` reads the next page. */
export function usePages<T>(queryKey: QueryKey, fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const fault: ApiFault | undefined = query.error === null ? undefined : faultOf(query.error)
  return {
    items: query.data?.pages.flatMap((page) => page.items) ?? [],
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    isLoading: query.isLoading,
    isLoadingMore: query.isFetchingNextPage,
    fault,
    query,
  }
}
