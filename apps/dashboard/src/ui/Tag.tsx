import type { ReactNode } from 'react'

/** A word that something is marked with. */
export function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full items-center rounded border border-line bg-sunken px-1.5 text-xs break-all">{children}</span>
  )
}
