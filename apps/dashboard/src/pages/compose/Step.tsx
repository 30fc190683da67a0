import { clsx } from 'clsx'
import { ChevronDown, TriangleAlert } from 'lucide-react'
import { useId, type ReactNode } from 'react'

/** A step of the composer. Folded, it says in a line what it holds; its fields stay as they are. */
export function Step({
  id,
  name,
  summary,
  isOpen,
  onToggle,
  hasMistake,
  children,
}: {
  /** The id of its fields in the page. */
  id: string
  name: string
  summary: string
  isOpen: boolean
  onToggle: () => void
  hasMistake: boolean
  children: ReactNode
}) {
  const label = useId()
  return (
    <section aria-labelledby={label} className="min-w-0 rounded-lg border border-line bg-surface">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={onToggle}
          className="flex min-h-11 w-full items-center gap-3 rounded-lg px-4 py-2 text-left"
        >
          <span id={label} className="font-semibold">
            {name}
          </span>
          <span className="min-w-0 flex-1 truncate text-muted" dir="auto">
            {!isOpen && summary}
          </span>
          {hasMistake && <TriangleAlert size={14} className="shrink-0 text-bad" aria-label="has a problem" />}
          <ChevronDown size={16} className={clsx('shrink-0 text-muted', isOpen && 'rotate-180')} aria-hidden />
        </button>
      </h2>
      <div id={id} hidden={!isOpen} className="border-t border-line p-4">
        {children}
      </div>
    </section>
  )
}
