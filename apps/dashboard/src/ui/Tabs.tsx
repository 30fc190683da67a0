import { clsx } from 'clsx'
import { useRef, type KeyboardEvent, type ReactNode } from 'react'

/** Lets the operator choose one of several views, also with the arrow keys. The page itself shows the chosen view. */
export function Tabs<T extends string>({
  label,
  value,
  onChange,
  items,
}: {
  label: string
  value: T
  onChange: (value: T) => void
  items: readonly { value: T; label: ReactNode }[]
}) {
  const keys = useTabKeys(
    items.map((item) => item.value),
    value,
    onChange,
  )
  return (
    <div {...keys} role="tablist" aria-label={label} className="flex flex-wrap gap-x-4 border-b border-line">
      {items.map((item) => (
        <button
          key={item.value}
          type="button"
          role="tab"
          aria-selected={item.value === value}
          tabIndex={item.value === value ? 0 : -1}
          onClick={() => onChange(item.value)}
          className={clsx(
            '-mb-px min-h-9 border-b-2 px-0.5 whitespace-nowrap focus-visible:-outline-offset-2',
            item.value === value ? 'border-accent font-medium text-ink' : 'border-transparent text-muted hover:text-ink',
          )}
        >
          {item.label}
        </button>
      ))}
    </div>
  )
}

/**
 * Gives the ref and the key handler of a list of tabs. The left and right arrow keys choose the tab beside the chosen one and move the focus to it.
 */
export function useTabKeys<T>(values: readonly T[], value: T, onChange: (value: T) => void) {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const place = (values.indexOf(value) + step + values.length) % values.length
    const next = values[place]
    if (next === undefined) return
    onChange(next)
    list.current?.querySelectorAll('button')[place]?.focus()
  }
  return { ref: list, onKeyDown }
}
