import { Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { openHeavyReads } from './heavy-reads.ts'

const refusalOf = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return Fault.is(error) ? { code: error.code, retryAfterSeconds: error.retryAfterSeconds } : error
  }
  return 'entered'
}
const refused = { code: 'rate_limited', retryAfterSeconds: 2 }

// spec: limits/heavy-reads
test('one dry run or export of an app and four of all apps run at once; a further one is refused and may be tried again after 2 seconds', () => {
  const places = openHeavyReads()
  const apps = Array.from({ length: 5 }, newId)
  const [first = '', , , , fifth = ''] = apps

  const leaving = apps.slice(0, 4).map((appId) => places.enter(appId))
  expect(refusalOf(() => places.enter(first))).toEqual(refused)
  expect(refusalOf(() => places.enter(fifth))).toEqual(refused)

  leaving[0]?.()
  leaving[0]?.()
  expect(refusalOf(() => places.enter(fifth))).toBe('entered')
  expect(refusalOf(() => places.enter(first))).toEqual(refused)
})

test('when a dry run or export fails, the app may begin the next one at once', async () => {
  const places = openHeavyReads()
  const appId = newId()
  await expect(places.run(appId, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await expect(places.run(appId, async () => 'done')).resolves.toBe('done')
})
