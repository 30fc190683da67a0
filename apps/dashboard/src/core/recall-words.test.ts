import { expect, test } from 'vitest'
import { isRecallable, recallActions, recallAsks, recallOnPlatforms } from './recall-words.ts'

const now = Date.parse('2026-12-01T12:00:00Z')
const sent = {
  ...{ silent: false, recallOf: null, recurringOf: null, schedule: null, stats: { sent: 3 } },
  startedAt: '2026-12-01T11:00:00Z',
}

// spec: dashboard/recall
test('a recall is offered for what devices may still show, and for nothing else', () => {
  expect(isRecallable(sent, now)).toBe(true)
  const others = [
    { stats: { sent: 0 } },
    { silent: true },
    { recallOf: 'a' },
    { startedAt: null },
    { startedAt: '2026-11-01T11:00:00Z' },
    { activity: { activityId: 'match-3', event: 'start' as const, attributesType: 'Match', timestamp: 1 } },
    { schedule: { type: 'recurring' as const, every: 'day' as const, localTime: '09:00', timezone: 'UTC' } },
  ]
  for (const other of others) expect(isRecallable({ ...sent, ...other }, now)).toBe(false)
})

// spec: dashboard/recall
test('no word about a recall says that anything was removed', () => {
  const said = JSON.stringify([recallActions, recallAsks, recallOnPlatforms])
  expect(said).toContain('Remove notification')
  expect(said).not.toMatch(/\bremoved\b|\bdeleted\b/i)
  expect(recallOnPlatforms.dismiss.find(({ platform }) => platform === 'Browsers')?.can).toMatch(/skipped/)
})
