import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone }))

/** Chooses a time zone by typing. */
export function ZoneField({ value, onChange, error }: { value: string; onChange: (zone: string) => void; error?: string | undefined }) {
  return (
    <Field label="Time zone" error={error}>
      {({ id }) => <Combobox id={id} label="Time zone" value={value} options={zones} onChange={onChange} />}
    </Field>
  )
}
