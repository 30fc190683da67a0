import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { inputClass } from './TextInput.tsx'

/** Lets the operator choose one of a few values from the browser's own list. */
export function Select({
  options,
  className,
  ...rest
}: ComponentProps<'select'> & { options: readonly { value: string; label: string; disabled?: boolean }[] }) {
  return (
    <select className={clsx(inputClass, 'h-8 pr-1', className)} {...rest}>
      {options.map(({ value, label, disabled }) => (
        <option key={value} value={value} disabled={disabled}>
          {label}
        </option>
      ))}
    </select>
  )
}
