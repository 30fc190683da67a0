import { expect, test } from 'vitest'
import { advanced, followed, readByAll, waitingOf, type Log, type Reading } from './reading.ts'

const log: Log = { head: 30, totals: { 'notification.sent': [20, 200, 0], 'notification.opened': [10, 100, 0] } }
const start = { place: 0, count: 0, bytes: 0 }
const open = (...types: string[]): Reading => ({ types, from: start, until: null })

test('the events that wait for an endpoint are those of its types in the log that it has not read', () => {
  expect(waitingOf([open('*')], log)).toEqual({ count: 30, bytes: 300 })
  const readings = advanced([open('notification.opened')], { place: 12, count: 4, bytes: 40 })
  expect(waitingOf(readings, log)).toEqual({ count: 6, bytes: 60 })
})

test('when an endpoint is switched off its reading ends, and when it is switched on a new reading begins', () => {
  const ended = followed([open('notification.opened')], { isOpen: false, eventTypes: ['*'] }, log) ?? []
  expect(ended.map(({ until }) => until)).toEqual([{ place: 30, count: 10, bytes: 100 }])
  const later: Log = { head: 35, totals: { ...log.totals, 'notification.opened': [15, 150, 0] } }
  expect(waitingOf(ended, later).count).toBe(10)
  const again = followed(ended, { isOpen: true, eventTypes: ['*'] }, later) ?? []
  expect(again.map(({ types, from }) => [types, from.place])).toEqual([
    [['notification.opened'], 0],
    [['*'], 35],
  ])
  expect(followed(again, { isOpen: true, eventTypes: ['*'] }, later)).toBeUndefined()
  expect(advanced(again, { place: 30, count: 10, bytes: 100 }).map(({ types }) => types)).toEqual([['*']])
})

test('an event is kept while an endpoint that asks for its type has not read it, and no longer', () => {
  const rare = advanced([open('notification.opened')], { place: 12, count: 4, bytes: 40 })
  const done = advanced([open('*')], { place: 30, count: 30, bytes: 300 })
  expect(readByAll(log, [rare, done])).toEqual([
    { type: 'notification.sent', after: 0, to: 30 },
    { type: 'notification.opened', after: 0, to: 12 },
  ])
})
