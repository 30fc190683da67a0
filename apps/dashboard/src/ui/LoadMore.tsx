import { Button } from './Button.tsx'
import { ErrorNote } from './ErrorNote.tsx'

/** Reads on in a list of `usePages`; says when there is no more. */
export function LoadMore({
  pages,
}: {
  pages: {
    items: readonly unknown[]
    hasMore: boolean
    isLoading: boolean
    loadMore: () => void
    query: { isFetchingNextPage: boolean; isFetchNextPageError: boolean; error: unknown }
  }
}) {
  const { items, hasMore, isLoading, loadMore, query } = pages
  if (isLoading || (items.length === 0 && !hasMore)) return null
  if (query.isFetchNextPageError) return <ErrorNote error={query.error} retry={loadMore} />
  if (!hasMore) return null
  return (
    <div className="flex justify-center">
      <Button busy={query.isFetchingNextPage} onClick={loadMore}>
        Show more
      </Button>
    </div>
  )
}
