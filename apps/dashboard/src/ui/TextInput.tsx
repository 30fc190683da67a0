import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

/** The CSS classes of fields to type in or to choose from. */
export const inputClass =
  'w-full min-w-0 rounded-md border border-strong bg-surface px-2.5 text-ink placeholder:text-muted aria-invalid:border-bad disabled:bg-sunken disabled:text-muted'

/** The CSS classes of fields in a row with other fields: each is only as wide as its text. */
export const controlClass = `${inputClass.replace('w-full ', '')} h-8`

/** A field for one line of text. */
export function TextInput({ className, type = 'text', ...rest }: ComponentProps<'input'>) {
  return <input type={type} autoComplete="off" className={clsx(inputClass, 'h-8 read-only:bg-sunken', className)} {...rest} />
}

/** A field for several lines of text. */
export function TextArea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={rows} className={clsx(inputClass, 'py-1.5 read-only:bg-sunken', className)} {...rest} />
}

/** A field that takes a file. Its classes make the browser's button look like the dashboard's. */
export function FileInput(props: ComponentProps<'input'>) {
  return (
    <input
      type="file"
      className="max-w-full text-sm file:mr-2 file:h-7 file:rounded-md file:border file:border-solid file:border-line file:bg-surface file:px-2 file:font-medium file:text-ink file:hover:bg-hover"
      {...props}
    />
  )
}
