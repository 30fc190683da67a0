import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { clockTime } from '../core/time.ts'
import { AllAtOnce } from './AllAtOnce.tsx'
import { Button } from './Button.tsx'
import { faultOf } from '../api/fault.ts'
import { Empty } from './Empty.tsx'
import { ErrorNote } from './ErrorNote.tsx'
import { Later, Skeleton } from './Skeleton.tsx'

/** The fields of a TanStack query's result that `Loaded` uses. */
export type Loading<T> = {
  data: T | undefined
  error: unknown
  dataUpdatedAt: number
  isError: boolean
  isFetching: boolean
  refetch: () => unknown
}

/**
 * Shows a query in each of its states: loading, empty, failed, or stale (the last data, in grey with the same contrast, while reading again fails).
 * `atOnce`: children that make further requests are shown together, as by `AllAtOnce`.
 */
export function Loaded<T>({
  query,
  children,
  isEmpty,
  empty,
  skeleton,
  atOnce = false,
}: {
  query: Loading<T>
  children: (data: T) => ReactNode
  isEmpty?: ((data: T) => boolean) | undefined
  empty?: ReactNode
  skeleton?: ReactNode
  atOnce?: boolean
}) {
  const { data, error, isError } = query
  const again = () => void query.refetch()
  const isGone = isError && faultOf(error).status === 404
  if (data === undefined && isGone) return <Empty title="Not found">It was deleted, or the link is wrong.</Empty>
  if (data === undefined) return isError ? <ErrorNote error={error} retry={again} /> : <Later>{skeleton ?? <Skeleton lines={5} />}</Later>
  const shown = isEmpty?.(data) === true ? empty : children(data)
  return (
    <>
      {isError && (
        <p role="status" className="mb-2 flex flex-wrap items-center gap-2 text-sm text-warning">
          As of {clockTime(query.dataUpdatedAt)}: {isGone ? 'it has been deleted since.' : 'Herald does not answer just now.'}
          <Button small variant="quiet" busy={query.isFetching} onClick={again}>
            Try again
          </Button>
        </p>
      )}
      <div className={clsx(isError && 'grayscale')}>{atOnce ? <AllAtOnce>{shown}</AllAtOnce> : shown}</div>
    </>
  )
}
