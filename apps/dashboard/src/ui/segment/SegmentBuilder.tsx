import { lazy, Suspense } from 'react'
import { Skeleton } from '../Skeleton.tsx'
import type { SegmentBuilderProps } from './useSegmentTree.ts'

const SegmentEditor = lazy(async () => ({ default: (await import('./SegmentEditor.tsx')).SegmentEditor }))

/**
 * Lets the operator choose devices and users by conditions, in groups of "all of these" and "any of these" or as JSON. The code is loaded when it is
 * needed, because it includes the parser.
 */
export function SegmentBuilder(props: SegmentBuilderProps) {
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <SegmentEditor {...props} />
    </Suspense>
  )
}
