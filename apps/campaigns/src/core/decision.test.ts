import { CreateCampaign, Experiment } from '@herald/contracts/campaign'
import { bestOf, reportOf, upliftOf } from '@herald/contracts/experiment-report'
import { expect, test } from 'vitest'
import { decisionOf } from './experiment.ts'

const content = { _default: 'en', en: { title: 'Hi', body: 'There' } }
const variants = ['a', 'b'].map((id) => ({ id, name: id, weight: 1, content }))
const auto = { metric: 'open', afterMinutes: 120, alpha: 0.05, minUsers: 500, ifInconclusive: 'none' } as const
const experiment: Experiment = { sampleRate: 0.5, variants, auto }
const counted = (a: [users: number, events: number], b: [users: number, events: number], fannedOut = true) => ({
  ...{ asOf: '2026-02-01T08:00:00.000Z', fannedOut, appRate: 0.05 },
  variants: [
    { id: 'a', assigned: a[0], sent: a[0], events: a[1] },
    { id: 'b', assigned: b[0], sent: b[0], events: b[1] },
  ],
})
const report = (...of: Parameters<typeof counted>) =>
  reportOf(experiment, counted(...of), { metric: 'open', final: false, decidedBy: null })

// spec: experiments/auto, experiments/anytime-test
test('an experiment decides at the first look at which it is significant, and at its end as it was told', () => {
  const clear = report([10_000, 500], [10_000, 700])
  const even = report([10_000, 500], [10_000, 510])
  expect(clear).toMatchObject({ decided: true, sampleRatio: { ok: true } })
  expect(bestOf(clear)).toBe('b')
  expect(decisionOf(clear, auto, 59)).toBe('later')
  expect(decisionOf(clear, auto, 60)).toBe('significance')
  expect(decisionOf(clear, { ...auto, minMinutes: 15 }, 15)).toBe('significance')
  expect(decisionOf(clear, { ...auto, afterMinutes: 30 }, 30)).toBe('significance')
  expect(decisionOf(even, auto, 119)).toBe('later')
  expect(decisionOf(even, auto, 120)).toBe('none')
  expect(decisionOf(even, { ...auto, ifInconclusive: 'best' }, 120)).toBe('deadline')
  expect(report([400, 20], [10_000, 2_000]).decided).toBe(false)
})

// spec: experiments/sample-ratio
test('10,000 against 9,400 users at equal weights is not ok, and there is no winner, not even at the end', () => {
  const crooked = report([10_000, 500], [9_400, 900])
  expect(crooked).toMatchObject({ sampleRatio: { ok: false }, sentRatio: { ok: false }, decided: false })
  expect(decisionOf(crooked, auto, 100)).toBe('later')
  expect(decisionOf(crooked, { ...auto, ifInconclusive: 'best' }, 120)).toBe('none')
  expect(report([10_000, 500], [9_400, 900], false).sampleRatio).toEqual({ p: null, ok: null })
})

// spec: experiments/intervals, experiments/needed
test('a report compares each pair of variants, and says how many users would be enough', () => {
  const { comparisons, needed, variants: shown } = report([1_000, 100], [1_000, 130])
  expect(comparisons).toEqual([
    expect.objectContaining({ a: 'a', b: 'b', difference: 0.03, upliftPercent: expect.closeTo(30, 8) as number }),
  ])
  expect(comparisons[0]?.low).toBeLessThan(0.03)
  expect(shown[1]).toMatchObject({ id: 'b', assigned: 1_000, sent: 1_000, events: 130, rate: 0.13 })
  expect(needed.usersPerVariant).toBeGreaterThan(30_000)
})

// spec: experiments/auto-form
test('an automatic winner needs a remainder, a conversion’s name only with that metric, and a look before its end', () => {
  const problems = (fields: object, sampleRate = 0.5) => {
    const given = {
      name: 'x',
      content,
      experiment: { sampleRate, variants, auto: { metric: 'open', afterMinutes: 60, ifInconclusive: 'best', ...fields } },
    }
    return CreateCampaign.safeParse(given).error?.issues.map(({ path }) => path.join('.'))
  }
  expect(problems({})).toBeUndefined()
  expect(problems({}, 1)).toEqual(['experiment.auto'])
  expect(problems({ metric: 'conversion' })).toEqual(['experiment.auto.conversion'])
  expect(problems({ metric: 'conversion', conversion: 'order' })).toBeUndefined()
  expect(problems({ conversion: 'order' })).toEqual(['experiment.auto.conversion'])
  expect(problems({ minMinutes: 61 })).toEqual(['experiment.auto.minMinutes'])
  for (const wrong of [{ afterMinutes: 14 }, { afterMinutes: 10_081 }]) expect(problems(wrong)).toEqual(['experiment.auto.afterMinutes'])
  for (const wrong of [{ alpha: 0.3 }, { alpha: 0 }]) expect(problems(wrong)).toEqual(['experiment.auto.alpha'])
  expect(problems({ minUsers: 99 })).toEqual(['experiment.auto.minUsers'])
})

// spec: experiments/uplift
test('the uplift compares who was meant to get pushes with who was held out', () => {
  expect(upliftOf({ treated: { users: 9_000, converted: 540 }, control: { users: 1_000, converted: 40 }, final: true })).toMatchObject({
    treated: { users: 9_000, converted: 540, rate: 0.06 },
    control: { rate: 0.04 },
    difference: expect.closeTo(0.02, 10) as number,
    upliftPercent: expect.closeTo(50, 8) as number,
    final: true,
  })
})
