import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

/** The CSS classes of fields to type in or to choose from. */
export const inputClass =
  'w-full min-w-0 rounded-md border border-strong bg-surface px-2.5 text-ink placeholder:text-muted aria-invalid:border-bad disabled:bg-sunken disabled:text-muted'

/** A field for one line of text. */
export function TextInput({ className, type = 'text', ...rest }: ComponentProps<'input'>) {
  return <input type={type} autoComplete="off" className={clsx(inputClass, 'h-8 read-only:bg-sunken', className)} {...rest} />
}

/** A field for several lines of text. */
export function TextArea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={rows} className={clsx(inputClass, 'py-1.5 read-only:bg-sunken', className)} {...rest} />
}
