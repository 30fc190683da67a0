import { clsx } from 'clsx'
import { useId, type ReactNode } from 'react'

/** A framed part of a page, with an optional title. */
export function Card({
  title,
  actions,
  children,
  className,
}: {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
  className?: string | undefined
}) {
  const id = useId()
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={clsx('min-w-0 rounded-lg border border-line bg-surface', className)}
    >
      {(title !== undefined || actions !== undefined) && (
        <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className="p-4">{children}</div>
    </section>
  )
}
