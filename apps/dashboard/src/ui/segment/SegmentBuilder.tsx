import type { SegmentDefinition } from '@herald/contracts/segment-definition'
import { lazy, Suspense } from 'react'
import { Skeleton } from '../Skeleton.tsx'

/** A mistake at a path, as the API names it: `definition.and.1.value`. The path may begin with where the segment stands in the request. */
export type SegmentDetail = { path: string; message: string }

export type SegmentBuilderProps = {
  /** Null and {} mean everyone. */
  value: SegmentDefinition | null
  /** Called with each change, also while a condition is unfinished; `problem` is then the first mistake that the contracts' parser finds. */
  onChange: (value: SegmentDefinition, problem: SegmentDetail | undefined) => void
  appId: string
  /** What the API said of the segment; shown at the conditions until the next change. */
  details?: readonly SegmentDetail[]
}

const SegmentEditor = lazy(async () => ({ default: (await import('./SegmentEditor.tsx')).SegmentEditor }))

/** Chooses people by conditions: groups of all, any and not, and the same as JSON. The parser comes with it, so it is loaded when it is needed. */
export function SegmentBuilder(props: SegmentBuilderProps) {
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <SegmentEditor {...props} />
    </Suspense>
  )
}
