import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { inputClass } from './TextInput.tsx'

/** A field for several lines of text. */
export function TextArea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={rows} className={clsx(inputClass, 'py-1.5 read-only:bg-sunken', className)} {...rest} />
}
