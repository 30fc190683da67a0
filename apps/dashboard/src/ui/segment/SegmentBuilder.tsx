import type { SegmentDefinition } from '@herald/contracts/segment-definition'
import { lazy, Suspense } from 'react'
import { Skeleton } from '../Skeleton.tsx'

/** A mistake at a path as the API names it, such as `definition.and.1.value`. The path may begin with the place of the segment in the request. */
export type SegmentDetail = { path: string; message: string }

export type SegmentBuilderProps = {
  /** Both null and {} mean everyone. */
  value: SegmentDefinition | null
  /** Called at each change, also while a condition is unfinished. `problem` is the first mistake that the contracts' parser finds. */
  onChange: (value: SegmentDefinition, problem: SegmentDetail | undefined) => void
  appId: string
  /** The mistakes that the API found in the segment, which are shown at the conditions until the next change. */
  details?: readonly SegmentDetail[]
}

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
