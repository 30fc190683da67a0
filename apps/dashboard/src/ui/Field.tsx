import { useId, type ReactNode } from 'react'

/** The HTML attributes that connect a control with its label, hint and error. */
export type FieldControl = { id: string; 'aria-describedby'?: string | undefined; 'aria-invalid'?: boolean | undefined }

/** Shows a control with its label, its hint and its error. */
export function Field({
  label,
  hint,
  error,
  required,
  children,
}: {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  required?: boolean | undefined
  children: (control: FieldControl) => ReactNode
}) {
  const id = useId()
  const described = [error === undefined ? '' : `${id}-error`, hint === undefined ? '' : `${id}-hint`]
    .filter((part) => part !== '')
    .join(' ')
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {required === true && <span className="font-normal text-muted"> (required)</span>}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </div>
      )}
    </div>
  )
}
