import { localDateAt } from '@herald/contracts/local-time'
import { X } from 'lucide-react'
import { useState } from 'react'
import { instantIn, weekdayIn } from '../../core/next-instants.ts'
import { withDate, withFields, withPeriod, type Period, type Recurring } from '../../core/recurrence-form.ts'
import { dayText } from '../../core/schedule-text.ts'
import { Button } from '../../ui/Button.tsx'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { TimeOfDay, ZoneField } from './LocalTime.tsx'
import { DaysOfMonth, DaysOfWeek } from './RecurringDays.tsx'

type Props = { value: Recurring; onChange: (schedule: Recurring) => void; errorAt: ErrorAt }

/** The fields of a schedule stand side by side where there is room. */
const grid = 'grid grid-cols-[repeat(auto-fit,minmax(min(100%,10rem),1fr))] gap-3'

/** Lets the operator edit a recurrence: its period and days, the time of day, its first and last day, and the days that it skips. */
export function RecurringAsk({ value, onChange, errorAt }: Props) {
  const { every, interval, localTime, timezone, startDate, maxRuns, until } = value
  const put = (changed: Parameters<typeof withFields>[1]) => onChange(withFields(value, changed))
  const own = errorAt('schedule')
  return (
    <div className="flex flex-col gap-3">
      <div className={grid}>
        <Field label="How often">
          {(control) => (
            <Select
              {...control}
              value={every}
              onChange={({ target }) => onChange(withPeriod(value, target.value as Period, weekdayIn(new Date(), timezone)))}
              options={[
                { value: 'day', label: 'Daily' },
                { value: 'week', label: 'Weekly' },
                { value: 'month', label: 'Monthly' },
              ]}
            />
          )}
        </Field>
        <Field label={`Repeat every (${every}s)`} error={errorAt('schedule.interval')}>
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={1}
              max={12}
              value={interval === undefined ? 1 : Number.isNaN(interval) ? '' : interval}
              onChange={({ target }) => put({ interval: target.value === '1' ? undefined : target.valueAsNumber })}
            />
          )}
        </Field>
        <TimeOfDay value={localTime} onChange={(time) => put({ localTime: time })} error={errorAt('schedule.localTime')} />
        <ZoneField value={timezone} onChange={(zone) => put({ timezone: zone })} error={errorAt('schedule.timezone')} />
      </div>
      {every === 'week' && <DaysOfWeek value={value} onChange={onChange} />}
      {every === 'month' && <DaysOfMonth value={value} onChange={onChange} errorAt={errorAt} />}
      <div className={grid}>
        <Field label="First day" hint="Leave empty to start on the day you send it." error={errorAt('schedule.startDate')}>
          {(control) => (
            <TextInput
              {...control}
              type="date"
              value={startDate ?? ''}
              onChange={({ target }) => put({ startDate: target.value === '' ? undefined : target.value })}
            />
          )}
        </Field>
        <Field label="Last day" hint="Leave empty to repeat until cancelled." error={errorAt('schedule.until')}>
          {(control) => (
            <TextInput
              {...control}
              type="date"
              value={until === undefined ? '' : localDateAt(new Date(until), timezone)}
              onChange={({ target }) => put({ until: instantIn(target.value, '23:59', timezone) })}
            />
          )}
        </Field>
        <Field label="Number of sends" hint="Leave empty for no limit." error={errorAt('schedule.maxRuns')}>
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={1}
              max={10_000}
              value={maxRuns === undefined || Number.isNaN(maxRuns) ? '' : maxRuns}
              onChange={({ target }) => put({ maxRuns: target.value === '' ? undefined : target.valueAsNumber })}
            />
          )}
        </Field>
      </div>
      <Skipped value={value} onChange={onChange} errorAt={errorAt} />
      {own !== undefined && <p className="text-sm text-bad">The schedule {own}</p>}
    </div>
  )
}

/** Lists the days that a recurrence skips, such as holidays, and lets the operator add and remove some. */
function Skipped({ value, onChange, errorAt }: Props) {
  const { except = [] } = value
  const [date, setDate] = useState('')
  const put = (dates: string[]) => onChange(withFields(value, { except: dates.length === 0 ? undefined : dates }))
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-40">
          <Field label="Skip a day" error={errorAt('schedule.except')}>
            {(control) => <TextInput {...control} type="date" value={date} onChange={({ target }) => setDate(target.value)} />}
          </Field>
        </div>
        <Button
          disabled={date === ''}
          onClick={() => {
            put(withDate(except, date))
            setDate('')
          }}
        >
          Skip it
        </Button>
      </div>
      {except.length > 0 && (
        <ul aria-label="Skipped days" className="flex list-none flex-wrap gap-2 p-0">
          {except.map((one) => (
            <li key={one} className="flex items-center gap-1 rounded-md bg-sunken pl-2.5">
              {dayText(one)}
              <Button
                variant="quiet"
                small
                aria-label={`Do not skip ${dayText(one)}`}
                onClick={() => put(except.filter((other) => other !== one))}
              >
                <X size={14} aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
