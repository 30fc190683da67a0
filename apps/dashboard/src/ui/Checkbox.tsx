import { clsx } from 'clsx'
import { useId, type ComponentProps, type ReactNode } from 'react'

export function Checkbox({ label, hint, className, ...rest }: ComponentProps<'input'> & { label: ReactNode; hint?: ReactNode }) {
  const id = useId()
  return (
    <div className={clsx('flex items-start gap-2', className)}>
      <input
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        {...rest}
      />
      <div className="min-w-0">
        <label htmlFor={id} className="block min-h-6">
          {label}
        </label>
        {hint !== undefined && (
          <div id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </div>
        )}
      </div>
    </div>
  )
}
