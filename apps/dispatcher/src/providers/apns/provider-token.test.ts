import { expect, test } from 'vitest'
import { openProviderToken } from './provider-token.ts'

const minute = 60_000

test('a dispatcher asks the gateway for a provider token at most once a minute, by one call at a time', async () => {
  let now = 0
  let asked = 0
  const token = openProviderToken(
    () => Promise.resolve({ token: `t${++asked}`, mintedAt: new Date(now).toISOString() }),
    () => now,
  )
  expect(await Promise.all([token.current(), token.current(), token.current()])).toEqual(['t1', 't1', 't1'])
  now += minute - 1
  expect(await token.current()).toBe('t1')
  now += 1
  expect(await token.current()).toBe('t2')
})

test('a refused provider token is replaced once, however many pushes were refused with it', async () => {
  const asked: (string | null)[] = []
  const token = openProviderToken((refused) => {
    asked.push(refused)
    return Promise.resolve({ token: refused ? 'fresh' : 'old', mintedAt: new Date().toISOString() })
  })
  await token.current()
  expect(await Promise.all([token.renew('old'), token.renew('old')])).toEqual(['fresh', 'fresh'])
  expect(await token.renew('old')).toBe('fresh')
  expect(asked).toEqual([null, 'old'])
})

test('while the gateway is away a dispatcher uses a provider token 50 minutes old, but none of 59', async () => {
  let now = 0
  let away = false
  const token = openProviderToken(
    () => (away ? Promise.reject(new Error('away')) : Promise.resolve({ token: 't', mintedAt: new Date(0).toISOString() })),
    () => now,
  )
  await token.current()
  away = true
  now = 50 * minute
  expect(await token.current()).toBe('t')
  now = 59 * minute
  await expect(token.current()).rejects.toThrow('away')
})
