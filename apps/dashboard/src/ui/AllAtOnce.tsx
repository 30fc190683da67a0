import { useIsFetching, useQueryClient, type Query } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { Later, Skeleton } from './Skeleton.tsx'
import { useReadyOnce } from './useReadyOnce.ts'

/** After this time the parts are shown although some have no data yet. When the data of such a part come, they move the parts below it. */
const withinMs = 1_500

const isFirstRead = ({ state }: Query): boolean => state.data === undefined && state.errorUpdateCount === 0

/**
 * Shows the parts of a page together when their first reads have ended, so that no late part moves those below it. Until then skeletons are shown,
 * for 1.5 s at most.
 */
export function AllAtOnce({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const reads = useIsFetching({ predicate: isFirstRead })
  const [areRead, setRead] = useState(false)
  // The components of a page begin their reads in effects. The timer runs after all of these effects, so it counts every read.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (queryClient.isFetching({ predicate: isFirstRead }) === 0) setRead(true)
    })
    return () => clearTimeout(timer)
  }, [queryClient, reads])
  const isReady = useReadyOnce(areRead, withinMs)
  return (
    <div className="relative">
      {!isReady && (
        <div className="absolute inset-x-0 top-0">
          <Later>
            <Skeleton lines={5} />
          </Later>
        </div>
      )}
      <div className={isReady ? undefined : 'invisible'}>{children}</div>
    </div>
  )
}
