import type { Experiment } from '@herald/contracts/campaign'
import { campaignStatuses } from '@herald/contracts/stats'
import { expect, test } from 'vitest'
import { whyNoWinner } from './experiment.ts'

const content = { _default: 'en', en: { title: 'A', body: 'B' } }
const variant = (id: string) => ({ id, name: id, weight: 1, content })
const experiment: Experiment = { sampleRate: 0.2, variants: [variant('a'), variant('b')] }
const sent = { status: 'sent' as const, experiment, schedule: { type: 'now' as const }, ledgerIsGone: false, hasWinner: false }
const codeOf = (campaign: Parameters<typeof whyNoWinner>[0], id = 'a') => whyNoWinner(campaign, id)?.code

test('when no reason to refuse a winner applies, each variant of a sent experiment can be picked', () => {
  expect([codeOf(sent, 'a'), codeOf(sent, 'b')]).toEqual([undefined, undefined])
})

// spec: experiments/winner-checks
test('each reason to refuse a winner has its code, and of several the first in the order is answered', () => {
  const nothing = { ...sent, experiment: null, ledgerIsGone: true, hasWinner: true }
  for (const status of campaignStatuses) expect(codeOf({ ...nothing, status }, 'none')).toBe('not_an_experiment')

  const worst = { ...nothing, experiment: { ...experiment, sampleRate: 1 } }
  for (const status of ['sending', 'paused'] as const) expect(codeOf({ ...worst, status }, 'none')).toBe('still_sending')
  for (const status of ['draft', 'scheduled', 'active', 'cancelled', 'failed'] as const)
    expect(codeOf({ ...worst, status }, 'none')).toBe('invalid_state')
  expect(codeOf({ ...worst, status: 'sent' }, 'none')).toBe('no_remainder')
  expect(codeOf({ ...sent, ledgerIsGone: true, hasWinner: true }, 'none')).toBe('no_remainder')
  expect(codeOf({ ...sent, hasWinner: true }, 'none')).toBe('winner_already_sent')
  expect(whyNoWinner(sent, 'none')).toMatchObject({ code: 'unknown_variant', details: [{ path: 'variant' }] })
})

// spec: experiments/recurring, experiments/no-remainder
test('picking a winner of a recurring experiment is refused, whether the recurrence is active or over', () => {
  const schedule = { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'Europe/Berlin' } as const
  expect(codeOf({ ...sent, schedule, status: 'active' })).toBe('invalid_state')
  expect(codeOf({ ...sent, schedule })).toBe('no_remainder')
})
