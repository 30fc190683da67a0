import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export function Switch({
  label,
  checked,
  onChange,
  disabled,
}: {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean | undefined
}) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      className="inline-flex min-h-6 items-center gap-2 rounded text-left disabled:opacity-55"
    >
      <span
        aria-hidden
        className={clsx(
          'flex h-4.5 w-8 shrink-0 items-center rounded-full border p-0.5 transition-colors',
          checked ? 'border-accent bg-accent' : 'border-strong bg-sunken',
        )}
      >
        <span className={clsx('size-3 rounded-full transition-transform', checked ? 'translate-x-3.5 bg-on-accent' : 'bg-strong')} />
      </span>
      <span>{label}</span>
    </button>
  )
}
