import type { SendRate } from '@herald/contracts/send-fields'
import { fastestRate, slowestRate } from '../../core/send-rate.ts'
import { Field } from '../Field.tsx'
import { TextInput } from '../TextInput.tsx'

/** Lets the operator limit how many pushes of a message go out in a minute. */
export function RateField({
  value,
  onChange,
  error,
}: {
  value: SendRate | null
  onChange: (rate: SendRate | null) => void
  error?: string | undefined
}) {
  return (
    <Field label="Messages per minute" hint="Leave empty for no limit. Limit it if a traffic spike could overload your site." error={error}>
      {(control) => (
        <TextInput
          {...control}
          type="number"
          min={slowestRate}
          max={fastestRate}
          placeholder="No limit"
          value={value === null || Number.isNaN(value.perMinute) ? '' : value.perMinute}
          onChange={({ target }) => onChange(target.value === '' ? null : { perMinute: target.valueAsNumber })}
        />
      )}
    </Field>
  )
}
