import { useId, type ReactNode } from 'react'

/** Lets the operator choose one of a few options, each shown as a card. */
export function Choice<T extends string>({
  legend,
  value,
  onChange,
  options,
}: {
  legend: ReactNode
  value: T | undefined
  onChange: (value: T) => void
  options: readonly { value: T; label: ReactNode; hint?: ReactNode; disabled?: boolean | undefined }[]
}) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{legend}</legend>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,12rem),1fr))] gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className="flex cursor-pointer items-start gap-2 rounded-md border border-line bg-surface p-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-disabled:opacity-55"
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              disabled={option.disabled}
              onChange={() => onChange(option.value)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              <span className="block font-medium">{option.label}</span>
              {option.hint !== undefined && <span className="block text-sm text-muted">{option.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
