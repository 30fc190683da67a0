import { useLocation } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'

let isFirstPage = true

/**
 * A page with its title, an introduction, actions and a link to its guide. The title gets the focus when the operator comes from another page of the
 * dashboard.
 */
export function Page({
  title,
  lead,
  actions,
  guide,
  part,
  children,
}: {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  guide?: string | undefined
  /** What is shown of a page that shows several things at one address, so that the focus goes with it. */
  part?: string
  children: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const pathname = useLocation({ select: (location) => location.pathname })

  useEffect(() => {
    document.title = `${title} · Herald`
  }, [title])

  useEffect(() => {
    // The browser itself places the focus on the first page. A field that has the focus keeps it.
    if (!isFirstPage && document.activeElement?.matches('input, textarea, select') !== true) heading.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [pathname, part])

  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-5 px-4 py-6 sm:px-6">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight break-words">
            {title}
          </h1>
          {lead !== undefined && <p className="mt-0.5 max-w-[72ch] text-muted">{lead}</p>}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {guide !== undefined && (
            <a
              href={`/docs/guide/${guide}`}
              target="_blank"
              rel="noreferrer"
              className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 text-muted hover:bg-hover hover:text-ink"
            >
              <BookOpen size={14} aria-hidden />
              Guide
            </a>
          )}
          {actions}
        </div>
      </header>
      {children}
    </div>
  )
}
