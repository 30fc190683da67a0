import { clsx } from 'clsx'
import { useEffect, useRef } from 'react'
import type { Suggestion } from '../../core/complete-placeholder.ts'

/** Lists below a text field what can be typed next. The field keeps the focus, and the arrow keys move in the list. */
export function Suggestions({
  id,
  suggestions,
  active,
  onTake,
}: {
  id: string
  suggestions: readonly Suggestion[]
  active: number
  onTake: (suggestion: Suggestion) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label="Placeholders"
        className="absolute top-full left-0 z-30 mt-1 max-h-60 w-full max-w-lg overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-xl"
      >
        {suggestions.map((suggestion, place) => (
          <div
            key={suggestion.label}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === active}
            // The click takes the suggestion on mouse down, because on mouse up the text field has lost the focus and the list is closed.
            onMouseDown={(event) => {
              event.preventDefault()
              onTake(suggestion)
            }}
            className={clsx(
              'flex min-h-7 flex-wrap items-baseline gap-x-3 rounded px-2 py-1',
              place === active ? 'bg-hover' : 'hover:bg-hover',
            )}
          >
            <code className="font-mono text-sm">{suggestion.label}</code>
            <span className="min-w-0 truncate text-sm text-muted">{suggestion.hint}</span>
          </div>
        ))}
      </div>
      <span role="status" className="sr-only">
        {suggestions.length === 1 ? '1 placeholder' : `${suggestions.length} placeholders`}. Arrow keys choose, Enter takes one.
      </span>
    </>
  )
}
