import { Fault } from '@herald/contracts/fault'
import { expect, test } from 'vitest'
import { openHeavyReads } from './heavy-reads.ts'

const refusedBy = (enter: () => unknown): unknown => {
  try {
    enter()
    return undefined
  } catch (error) {
    return Fault.is(error) ? [error.code, error.status, error.retryAfterSeconds] : error
  }
}
const tooMany = ['rate_limited', 429, 2]

// spec: administration/export-places
test('there are four places, one of an app; who leaves makes room, once however often it says so', () => {
  const enter = openHeavyReads()
  const leave = enter('a')

  expect(refusedBy(() => enter('a'))).toEqual(tooMany)
  for (const app of ['b', 'c', 'd']) enter(app)
  expect(refusedBy(() => enter('e'))).toEqual(tooMany)
  leave()
  leave()
  enter('e')
  expect(refusedBy(() => enter('a'))).toEqual(tooMany)
})
