import type { ReactNode } from 'react'

/** Stands in the place of an empty list and says what will be there and what the operator can do about it. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line px-6 py-10 text-center">
      <p className="text-base font-semibold">{title}</p>
      {children !== undefined && <div className="max-w-[56ch] text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
