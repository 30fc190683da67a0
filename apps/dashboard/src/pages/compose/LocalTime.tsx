import type { Schedule } from '@herald/contracts/campaign'
import { defaultLateMinutes } from '@herald/contracts/late-minutes'
import { minutesText } from '../../core/schedule-text.ts'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextInput } from '../../ui/TextInput.tsx'

const lateChoices = [0, 15, 30, 60, 180, 360, 720, 1440]

/** Lets the operator edit a local time and, if wanted, its date and how late the message may still go out where that date has passed. */
export function LocalTime({
  value,
  onChange,
  errorAt,
}: {
  value: Extract<Schedule, { type: 'user_timezone' }>
  onChange: (schedule: Schedule) => void
  errorAt: ErrorAt
}) {
  const { type, localTime, date, lateMinutes = defaultLateMinutes } = value
  const choices = [...new Set([...lateChoices, lateMinutes])].toSorted((one, other) => one - other)
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,10rem),1fr))] gap-3">
      <TimeOfDay value={localTime} onChange={(time) => onChange({ ...value, localTime: time })} error={errorAt('schedule.localTime')} />
      <Field label="Date" hint="Leave empty to send at the next occurrence in each user’s time zone." error={errorAt('schedule.date')}>
        {(control) => (
          <TextInput
            {...control}
            type="date"
            value={date ?? ''}
            onChange={({ target }) => onChange(target.value === '' ? { type, localTime } : { ...value, date: target.value })}
          />
        )}
      </Field>
      {date !== undefined && (
        <Field label="If the time has already passed" error={errorAt('schedule.lateMinutes')}>
          {(control) => (
            <Select
              {...control}
              value={String(lateMinutes)}
              onChange={({ target }) => onChange({ ...value, lateMinutes: Number(target.value) })}
              options={choices.map((minutes) => ({
                value: String(minutes),
                label: minutes === 0 ? 'Skip these users' : `Send up to ${minutesText(minutes)} late`,
              }))}
            />
          )}
        </Field>
      )}
    </div>
  )
}

/** Lets the operator edit a time of day. An empty field changes nothing. */
export function TimeOfDay({
  value,
  onChange,
  error,
  label = 'Time of day',
}: {
  value: string
  onChange: (time: string) => void
  error?: string | undefined
  label?: string
}) {
  return (
    <Field label={label} error={error}>
      {(control) => (
        <TextInput
          {...control}
          type="time"
          value={value}
          required
          onChange={({ target }) => target.value !== '' && onChange(target.value.slice(0, 5))}
        />
      )}
    </Field>
  )
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone }))

/** Lets the operator choose a time zone by typing. */
export function ZoneField({ value, onChange, error }: { value: string; onChange: (zone: string) => void; error?: string | undefined }) {
  return (
    <Field label="Time zone" error={error}>
      {({ id }) => <Combobox id={id} label="Time zone" value={value} options={zones} onChange={onChange} />}
    </Field>
  )
}
