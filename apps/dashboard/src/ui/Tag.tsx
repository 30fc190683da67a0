import type { ReactNode } from 'react'

/** Marks something with a word. */
export function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full items-center rounded border border-line bg-sunken px-1.5 text-xs break-all">{children}</span>
  )
}
