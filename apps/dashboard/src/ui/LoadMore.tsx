import { Button } from './Button.tsx'
import { ErrorNote } from './ErrorNote.tsx'

/** A button that reads the next page of a list of `usePages`. The button is not shown when there is no further page. */
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
