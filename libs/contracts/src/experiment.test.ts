import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isInSample, variantOf } from './experiment.ts'

const id = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24)
const campaignId = id('campaign')
const users = Array.from({ length: 100_000 }, (_, index) => id(`user ${index}`))
const variants = [
  { id: 'a', weight: 1 },
  { id: 'b', weight: 2 },
  { id: 'c', weight: 5 },
]

// spec: experiments/weight
test('100,000 users are split by the weights of the variants, each share right to within one percentage point', () => {
  const counts: Record<string, number> = {}
  for (const user of users) {
    const variant = variantOf(variants, campaignId, user).id
    counts[variant] = (counts[variant] ?? 0) + 1
  }
  for (const { id: variant, weight } of variants) {
    expect(Math.abs((counts[variant] ?? 0) / users.length - weight / 8)).toBeLessThan(0.01)
  }
})

// spec: experiments/sample-rate
test('the sample has its share of users, split by weights, and with the remainder holds everyone once', () => {
  const sampleRate = 0.2
  const { sample = [], remainder = [] } = Object.groupBy(users, (user) =>
    isInSample(sampleRate, campaignId, user) ? 'sample' : 'remainder',
  )
  expect(Math.abs(sample.length / users.length - sampleRate)).toBeLessThan(0.01)
  expect(sample.length + remainder.length).toBe(users.length)
  expect(remainder.some((user) => isInSample(sampleRate, campaignId, user))).toBe(false)
  for (const { id: variant, weight } of variants) {
    const chosen = sample.filter((user) => variantOf(variants, campaignId, user).id === variant)
    expect(Math.abs(chosen.length / sample.length - weight / 8)).toBeLessThan(0.01)
  }
})

// spec: experiments/assignment
test('a user always gets the same variant of one campaign, and may get another variant of another campaign', () => {
  const split = (campaign: string) => users.slice(0, 10_000).map((user) => variantOf(variants, campaign, user).id)
  expect(split(campaignId)).toEqual(split(campaignId))
  const other = split(id('another campaign'))
  const moved = split(campaignId).filter((variant, index) => variant !== other[index])
  expect(moved.length).toBeGreaterThan(4_000)
})

test('a sample of 100 % leaves no remainder, and a larger sample contains all users of a smaller one', () => {
  expect(users.every((user) => isInSample(1, campaignId, user))).toBe(true)
  const small = users.slice(0, 20_000).filter((user) => isInSample(0.1, campaignId, user))
  expect(small.every((user) => isInSample(0.3, campaignId, user))).toBe(true)
})
