import { expect, test } from 'vitest'
import { openHouseSteps } from './house-steps.ts'

test('a step of the housekeeping that fails is logged and rests, and the others go on', async () => {
  const logged: unknown[] = []
  const ran: string[] = []
  const step = (name: string, work: () => number) => async () => {
    ran.push(name)
    return work()
  }
  const sweep = openHouseSteps(
    { error: (about: unknown) => void logged.push(about) },
    { everyMs: 60_000 },
    {
      broken: step('broken', () => {
        throw new Error('locked')
      }),
      empty: step('empty', () => 0),
      full: step('full', () => 3),
    },
  )
  expect([await sweep(), await sweep()]).toEqual([{ took: 3 }, { took: 3 }])
  expect(ran).toEqual(['broken', 'empty', 'full', 'full'])
  expect(logged).toMatchObject([{ step: 'broken' }])
})

test('an error that every step would meet ends the run', async () => {
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  const sweep = openHouseSteps({ error: () => undefined }, { everyMs: 60_000 }, { first: () => Promise.reject(away) })
  await expect(sweep()).rejects.toBe(away)
  await expect(sweep()).rejects.toBe(away)
})
