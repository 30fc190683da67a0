import type { Schedule } from '@herald/contracts/campaign'
import { localDateAt } from '@herald/contracts/local-time'
import { lazy, Suspense, useState } from 'react'
import { instantIn, localTimeAt, soon } from '../../core/next-instants.ts'
import { Choice } from '../../ui/Choice.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { LocalTime, TimeOfDay, ZoneField } from './LocalTime.tsx'
import { NextInstants } from './NextInstants.tsx'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'

// Few messages recur, so the code of that form is loaded later.
const RecurringAsk = lazy(async () => ({ default: (await import('./RecurringAsk.tsx')).RecurringAsk }))

const options = [
  { value: 'now', label: 'Now', hint: 'Right after you confirm' },
  { value: 'at', label: 'At a specific time', hint: 'Same moment for everyone' },
  { value: 'user_timezone', label: 'At each user’s local time', hint: 'For example 9:00, wherever they are' },
  { value: 'recurring', label: 'Recurring', hint: 'Each day, week or month' },
] as const

type Of<Type extends Schedule['type']> = Extract<Schedule, { type: Type }>

/** Lets the operator choose when a message is sent. Switching to another option and back keeps what was entered. */
export function WhenAsk({
  value,
  onChange,
  zone,
  errorAt,
}: {
  value: Schedule
  onChange: (schedule: Schedule) => void
  zone: string
  errorAt: ErrorAt
}) {
  const [before, setBefore] = useState<Partial<Record<Schedule['type'], Schedule>>>({})
  const [chosenZone, setZone] = useState<string>()
  const choose = (type: Schedule['type']) => {
    setBefore({ ...before, [value.type]: value })
    onChange(before[type] ?? firstOf(type, zone, new Date()))
  }
  const inZone = value.type === 'recurring' ? value.timezone : (chosenZone ?? zone)
  return (
    <div className="flex flex-col gap-4">
      <Choice legend={<span className="sr-only">When</span>} value={value.type} onChange={choose} options={options} />
      {value.type === 'at' && <At value={value} onChange={onChange} zone={inZone} onZone={setZone} error={errorAt('schedule.at')} />}
      {value.type === 'user_timezone' && <LocalTime value={value} onChange={onChange} errorAt={errorAt} />}
      {value.type === 'recurring' && (
        <Suspense>
          <RecurringAsk value={value} onChange={onChange} errorAt={errorAt} />
        </Suspense>
      )}
      {value.type !== 'now' && <NextInstants schedule={value} zone={inZone} />}
    </div>
  )
}

function firstOf(type: Schedule['type'], timezone: string, now: Date): Schedule {
  switch (type) {
    case 'now':
      return { type }
    case 'at':
      return { type, at: soon(now) }
    case 'user_timezone':
      return { type, localTime: '09:00' }
    case 'recurring':
      return { type, every: 'day', localTime: '09:00', timezone }
  }
}

/**
 * Lets the operator edit an instant as a date, a time and a time zone. When the operator chooses another zone, date and time stay and the instant
 * changes.
 */
function At({
  value,
  onChange,
  zone,
  onZone,
  error,
}: {
  value: Of<'at'>
  onChange: (schedule: Schedule) => void
  zone: string
  onZone: (zone: string) => void
  error?: string | undefined
}) {
  const at = new Date(value.at)
  const date = localDateAt(at, zone)
  const time = localTimeAt(at, zone)
  const put = (newDate: string, newTime: string, newZone: string) => {
    const instant = instantIn(newDate, newTime, newZone)
    if (instant !== undefined) onChange({ type: 'at', at: instant })
  }
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,10rem),1fr))] gap-3">
      <Field label="Date" error={error}>
        {(control) => <TextInput {...control} type="date" value={date} required onChange={({ target }) => put(target.value, time, zone)} />}
      </Field>
      <TimeOfDay value={time} onChange={(changed) => put(date, changed, zone)} label="Time" />
      <ZoneField
        value={zone}
        onChange={(changed) => {
          onZone(changed)
          put(date, time, changed)
        }}
      />
    </div>
  )
}
