import { quietUntil } from '@herald/contracts/quiet-hours'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeQuiet, minutesOf, quietSpans } from './quiet-hours-picture.ts'

const twoDigits = (number: number): string => String(number).padStart(2, '0')
const timeAt = (minutes: number): string => `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`

// spec: sending/quiet-hours, dashboard/quiet-picture
test('the picture of the quiet hours shows exactly the minutes in which Herald keeps quiet', () => {
  const minute = fc.integer({ min: 0, max: 1439 })
  fc.assert(
    fc.property(minute, minute, minute, (start, end, at) => {
      fc.pre(start !== end)
      const hours = { start: timeAt(start), end: timeAt(end) }
      const isDrawn = quietSpans(hours.start, hours.end).some((span) => span.start <= at && at < span.end)
      const isQuiet = quietUntil(hours, 'UTC', new Date(`2026-03-10T${timeAt(at)}:00Z`)) !== undefined
      expect(isDrawn).toBe(isQuiet)
    }),
  )
})

test('quiet hours over midnight are drawn as two parts of one day', () => {
  expect(quietSpans('22:00', '08:00')).toEqual([
    { start: 0, end: 480 },
    { start: 1320, end: 1440 },
  ])
  expect(quietSpans('22:00', '00:00')).toEqual([{ start: 1320, end: 1440 }])
  expect(quietSpans('08:00', '08:00')).toEqual([])
  expect(quietSpans('8', '09:00')).toEqual([])
})

test('the quiet hours are described in a sentence with their length', () => {
  expect(describeQuiet('22:00', '08:30')).toBe('Quiet from 22:00 to 08:30 on the next day: 10 h 30 min of each day.')
  expect(describeQuiet('12:00', '13:00')).toBe('Quiet from 12:00 to 13:00: 1 h of each day.')
  expect(describeQuiet('12:00', '12:00')).toBe('No quiet hours.')
  expect(minutesOf('24:00')).toBeUndefined()
})
