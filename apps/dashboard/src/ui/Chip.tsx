import { clsx } from 'clsx'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'

/** A filter that is on or off. */
export function Chip({ on, onClick, children }: { on: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={clsx(
        'min-h-7 rounded-full border px-3 text-sm',
        on ? 'border-accent bg-accent-soft font-medium text-accent' : 'border-line text-muted hover:text-ink',
      )}
    >
      {children}
    </button>
  )
}

/** A filter that is on, with a button that takes it off. */
export function FilterChip({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <span className="inline-flex min-h-7 items-center gap-1 rounded-full border border-accent bg-accent-soft pl-3 text-sm text-accent">
      <span className="max-w-60 truncate">{label}</span>
      <button
        type="button"
        aria-label={`Remove the filter ${label}`}
        onClick={onRemove}
        className="grid size-7 place-items-center rounded-full"
      >
        <X size={13} aria-hidden />
      </button>
    </span>
  )
}
