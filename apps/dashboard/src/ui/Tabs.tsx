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
  const list = useRef<HTMLDivElement>(null)
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = (items.findIndex((item) => item.value === value) + step + items.length) % items.length
    const item = items[index]
    if (item === undefined) return
    onChange(item.value)
    list.current?.querySelectorAll('button')[index]?.focus()
  }
  return (
    <div ref={list} role="tablist" aria-label={label} onKeyDown={press} className="flex gap-4 overflow-x-auto border-b border-line">
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
