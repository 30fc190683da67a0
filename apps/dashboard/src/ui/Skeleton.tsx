import { useEffect, useState, type ReactNode } from 'react'

const widths = ['w-3/4', 'w-full', 'w-5/6', 'w-2/3', 'w-11/12']

/** Shows grey lines in the place of text that is being loaded. */
export function Skeleton({ lines = 3 }: { lines?: number | undefined }) {
  return (
    <div className="flex flex-col gap-3 py-1" aria-hidden data-skeleton>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={`h-4 animate-pulse rounded bg-sunken ${widths[line % widths.length]}`} />
      ))}
    </div>
  )
}

/** Shows its children after 200 ms, so that nothing flickers when the data come sooner. A screen reader says "Loading" at once. */
export function Later({ children }: { children: ReactNode }) {
  const [isTime, setTime] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-live="polite" className={isTime ? '' : 'invisible'}>
      <span className="sr-only">Loading</span>
      {children}
    </div>
  )
}
