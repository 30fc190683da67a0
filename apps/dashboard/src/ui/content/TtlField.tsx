import { maxTtlSeconds } from '@herald/contracts/send-fields'
import { Field } from '../Field.tsx'
import { Select } from '../Select.tsx'
import { TextInput } from '../TextInput.tsx'
import { useState } from 'react'

const usual = [
  { value: String(maxTtlSeconds), label: '4 weeks (maximum)' },
  { value: '604800', label: 'A week' },
  { value: '86400', label: 'A day' },
  { value: '3600', label: 'An hour' },
  { value: '0', label: 'Only if reachable at once' },
  { value: 'other', label: 'Another time' },
]

/** Lets the operator choose for how long a provider keeps a push for a device that is offline. */
export function TtlField({
  value,
  onChange,
  error,
}: {
  value: number | null
  onChange: (ttl: number | null) => void
  error?: string | undefined
}) {
  const known = usual.some((one) => one.value === String(value ?? maxTtlSeconds))
  const [isOther, setOther] = useState(!known)
  return (
    <Field label="Time to live" hint="Undelivered pushes expire after this time." error={error}>
      {(control) => (
        <div className="flex gap-2">
          <Select
            {...control}
            value={isOther || !known ? 'other' : String(value ?? maxTtlSeconds)}
            onChange={({ target }) => {
              setOther(target.value === 'other')
              if (target.value !== 'other') onChange(Number(target.value))
            }}
            options={usual}
          />
          {(isOther || !known) && (
            <TextInput
              aria-label="Seconds"
              type="number"
              min={0}
              max={maxTtlSeconds}
              placeholder="seconds"
              value={value ?? ''}
              onChange={({ target }) => onChange(target.value === '' ? null : target.valueAsNumber)}
            />
          )}
        </div>
      )}
    </Field>
  )
}
