import { parseRelativeDate } from '@herald/contracts/segment'
import { fromLocalInput, toLocalInput } from '../../core/local-input.ts'
import { readRelative } from '../../core/segment-text.ts'
import { Time } from '../Time.tsx'
import { controlClass } from '../TextInput.tsx'
import type { ValueProps } from './SegmentContext.ts'

type Mode = 'relative' | 'day' | 'instant' | 'text'

function modeOf(value: unknown): Mode {
  if (readRelative(value)) return 'relative'
  if (typeof value !== 'string') return 'text'
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return 'day'
  return toLocalInput(value) === '' ? 'text' : 'instant'
}

const firstOf: Record<Mode, () => string> = {
  relative: () => '-14d',
  day: () => new Date().toISOString().slice(0, 10),
  instant: () => new Date().toISOString(),
  text: () => '',
}

/**
 * Asks the operator for a date: a time before or after the send, a day in UTC, or an instant. A relative date is shown with the instant that it means
 * now.
 */
export function DateValue({ value, onChange, control }: ValueProps) {
  const mode = modeOf(value)
  const shared = { ...control, 'data-part': 'value' }
  const text = typeof value === 'string' ? value : ''
  return (
    <span className="flex flex-wrap items-center gap-2">
      <select
        className={controlClass}
        aria-label="Kind of date"
        data-part="kind"
        value={mode}
        onChange={({ target }) => onChange(firstOf[target.value as Mode]())}
      >
        <option value="relative">relative date</option>
        <option value="day">date (UTC)</option>
        <option value="instant">exact date and time</option>
        {mode === 'text' && <option value="text">text</option>}
      </select>
      {mode === 'relative' && <RelativeDate value={value} onChange={onChange} control={control} />}
      {mode === 'day' && (
        <input
          {...shared}
          type="date"
          className={controlClass}
          aria-label="Day"
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      {mode === 'instant' && (
        <input
          {...shared}
          type="datetime-local"
          className={controlClass}
          aria-label="Date and time, in your time zone"
          value={toLocalInput(text)}
          onChange={({ target }) => onChange(fromLocalInput(target.value) ?? '')}
        />
      )}
      {mode === 'text' && (
        <input
          {...shared}
          className={`${controlClass} w-48`}
          aria-label="Date"
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </span>
  )
}

function RelativeDate({ value, onChange, control }: ValueProps) {
  const parts = readRelative(value) ?? { sign: '-', count: 14, unit: 'd' }
  const seconds = typeof value === 'string' ? parseRelativeDate(value)?.relativeSeconds : undefined
  const write = ({ sign, count, unit }: { sign: string; count: number; unit: string }) => onChange(`${sign}${count}${unit}`)
  return (
    <>
      <input
        {...control}
        data-part="value"
        type="number"
        min={0}
        max={99_999}
        className={`${controlClass} w-20`}
        aria-label="How many"
        value={parts.count}
        onChange={({ target }) => write({ ...parts, count: Math.min(99_999, Math.max(0, Math.trunc(target.valueAsNumber || 0))) })}
      />
      <select
        className={controlClass}
        aria-label="Unit"
        data-part="unit"
        value={parts.unit}
        onChange={({ target }) => write({ ...parts, unit: target.value })}
      >
        <option value="m">minutes</option>
        <option value="h">hours</option>
        <option value="d">days</option>
        <option value="w">weeks</option>
      </select>
      <select
        className={controlClass}
        aria-label="Direction"
        data-part="sign"
        value={parts.sign}
        onChange={({ target }) => write({ ...parts, sign: target.value })}
      >
        <option value="-">ago</option>
        <option value="+">from now</option>
      </select>
      {seconds !== undefined && (
        <span className="text-muted text-xs">
          currently <Time at={new Date(Date.now() + seconds * 1000).toISOString()} />
        </span>
      )}
    </>
  )
}
