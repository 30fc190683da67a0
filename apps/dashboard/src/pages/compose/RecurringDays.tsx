import { useState } from 'react'
import { weekdayIn } from '../../core/next-instants.ts'
import { daysOfText, textOfDays, withFields, type Recurring } from '../../core/recurrence-form.ts'
import { weekdayNames, weekdays } from '../../core/schedule-text.ts'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextInput } from '../../ui/TextInput.tsx'

type Props = { value: Recurring; onChange: (schedule: Recurring) => void }

/** Lets the operator choose the days of the week of a recurrence, at least one. */
export function DaysOfWeek({ value, onChange }: Props) {
  const days = value.daysOfWeek ?? [weekdayIn(new Date(), value.timezone)]
  const toggle = (day: number, on: boolean) => {
    const chosen = on ? [...days, day] : days.filter((one) => one !== day)
    if (chosen.length > 0) onChange({ ...value, daysOfWeek: chosen.toSorted((one, other) => one - other) })
  }
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
      <legend className="sr-only">Days</legend>
      {weekdays.map((day) => (
        <label key={day} className="flex min-h-6 items-center gap-1.5">
          <input
            type="checkbox"
            checked={days.includes(day)}
            onChange={({ target }) => toggle(day, target.checked)}
            className="size-4 accent-accent"
          />
          {weekdayNames[day]}
        </label>
      ))}
    </fieldset>
  )
}

const places = [
  { value: '1', label: 'First' },
  { value: '2', label: 'Second' },
  { value: '3', label: 'Third' },
  { value: '4', label: 'Fourth' },
  { value: '5', label: 'Fifth, in months that have one' },
  { value: '-1', label: 'Last' },
]

/** Lets the operator name days of the month by their numbers, or a weekday by its place in the month. */
export function DaysOfMonth({ value, onChange, errorAt }: Props & { errorAt: ErrorAt }) {
  const { nthWeekday, daysOfMonth } = value
  const byWeekday = (nth: number, day: number) => onChange(withFields(value, { daysOfMonth: undefined, nthWeekday: { nth, day } }))
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,10rem),1fr))] gap-3">
      <Field label="Which days">
        {(control) => (
          <Select
            {...control}
            value={nthWeekday ? 'weekday' : 'dates'}
            onChange={({ target }) =>
              target.value === 'weekday'
                ? byWeekday(1, weekdayIn(new Date(), value.timezone))
                : onChange(withFields(value, { nthWeekday: undefined, daysOfMonth: [1] }))
            }
            options={[
              { value: 'dates', label: 'Dates' },
              { value: 'weekday', label: 'A weekday' },
            ]}
          />
        )}
      </Field>
      {nthWeekday ? (
        <>
          <Field label="Which one" error={errorAt('schedule.nthWeekday.nth')}>
            {(control) => (
              <Select
                {...control}
                value={String(nthWeekday.nth)}
                onChange={({ target }) => byWeekday(Number(target.value), nthWeekday.day)}
                options={places}
              />
            )}
          </Field>
          <Field label="Weekday">
            {(control) => (
              <Select
                {...control}
                value={String(nthWeekday.day)}
                onChange={({ target }) => byWeekday(nthWeekday.nth, Number(target.value))}
                options={weekdays.map((day) => ({ value: String(day), label: weekdayNames[day] }))}
              />
            )}
          </Field>
        </>
      ) : (
        <DatesOfMonth
          days={daysOfMonth}
          onChange={(days) => onChange({ ...value, daysOfMonth: days })}
          error={errorAt('schedule.daysOfMonth')}
        />
      )}
    </div>
  )
}

function DatesOfMonth({
  days = [],
  onChange,
  error,
}: {
  days?: number[] | undefined
  onChange: (days: number[]) => void
  error: string | undefined
}) {
  const [text, setText] = useState(() => textOfDays(days))
  const isWrong = daysOfText(text) === undefined
  return (
    <Field
      label="Days of the month"
      hint="Such as 1, 15 or last. In shorter months it is sent on the last day."
      error={isWrong ? 'Enter numbers from 1 to 31, or last.' : error}
    >
      {(control) => (
        <TextInput
          {...control}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            const read = daysOfText(target.value)
            if (read) onChange(read)
          }}
        />
      )}
    </Field>
  )
}
