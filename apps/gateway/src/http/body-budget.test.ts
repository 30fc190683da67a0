import { expect, test } from 'vitest'
import { openBodyBudget } from './body-budget.ts'

const KiB = 1_024
const MiB = 1_024 * KiB
const backend = (name: string) => ({ name, isStranger: false })

// spec: limits/body-budget
test('unfinished bodies hold at most 8 MiB for an address or key, 32 MiB in all, and give it back', () => {
  let refused = 0
  const budget = openBodyBudget(() => (refused += 1))
  const begin = (owner: string, bytes: number) => {
    const body = budget.open(() => backend(owner))
    body.arrived(bytes + 4 * KiB)
    return body
  }
  const first = Array.from({ length: 16 }, () => begin('a', 512 * KiB))
  expect(() => begin('a', 1)).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }))
  for (const owner of ['b', 'c', 'd']) begin(owner, 8 * MiB)
  expect(() => begin('e', 1)).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  expect(refused).toBe(2)

  first[0]?.close()
  begin('e', 512 * KiB)
  expect(() => begin('f', 1)).toThrow('Too many bodies')
})

// spec: limits/body-budget
test('the first 4 KiB of a body count for nothing, so a small request is read while others hold everything', () => {
  const budget = openBodyBudget(() => undefined)
  for (const owner of ['a', 'b', 'c', 'd']) budget.open(() => backend(owner)).arrived(8 * MiB + 4 * KiB)
  const small = budget.open(() => backend('e'))
  for (let no = 0; no < 4; no += 1) small.arrived(KiB)
  expect(() => small.arrived(1)).toThrow('Too many bodies')
})

// spec: limits/body-budget
test('callers without a credential of their own hold at most 16 MiB together, and backends have the rest', () => {
  const budget = openBodyBudget(() => undefined)
  const begin = (name: string, isStranger: boolean) => {
    const body = budget.open(() => ({ name, isStranger }))
    body.arrived(8 * MiB + 4 * KiB)
    return body
  }
  const first = begin('a', true)
  begin('b', true)
  expect(() => begin('c', true)).toThrow('Too many bodies')
  begin('key', false)
  first.close()
  begin('c', true)
})
