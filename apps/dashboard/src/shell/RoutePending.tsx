import { Skeleton } from '../ui/Skeleton.tsx'

/** Shown while the code of a page is loaded. */
export function RoutePending() {
  return (
    <div role="status" className="mx-auto w-full max-w-[1200px] px-4 py-6 sm:px-6">
      <span className="sr-only">Loading</span>
      <Skeleton lines={6} />
    </div>
  )
}
