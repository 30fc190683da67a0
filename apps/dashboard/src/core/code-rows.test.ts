import { expect, test } from 'vitest'
import { codeRows, needOf } from './code-rows.ts'

test('a code of several platforms is shown in one row, with failures before skips and frequent codes before rare ones', () => {
  const rows = codeRows([
    { platform: 'web', outcome: 'skipped', code: 'silent_web', count: 500 },
    { platform: 'ios', outcome: 'failed', code: 'timeout', count: 2 },
    { platform: 'ios', outcome: 'failed', code: 'token_dead', count: 3 },
    { platform: 'android', outcome: 'failed', code: 'token_dead', count: 4 },
    { platform: 'android', outcome: 'failed', code: 'internal', count: 0 },
  ])
  expect(rows.map(({ code, count, byPlatform }) => [code, count, byPlatform])).toEqual([
    [
      'token_dead',
      7,
      [
        { platform: 'ios', count: 3 },
        { platform: 'android', count: 4 },
      ],
    ],
    ['timeout', 2, [{ platform: 'ios', count: 2 }]],
    ['silent_web', 500, [{ platform: 'web', count: 500 }]],
  ])
  expect(rows[0]?.remedy.repairsItself).toBe(true)
})

test('a code asks the operator to act only when something is wrong and does not go away by itself', () => {
  const codes = [
    'token_dead',
    'owner_changed',
    'holdout',
    'quiet_hours',
    'frequency_cap',
    'cancelled',
    'opted_out',
    'not_configured',
    'expired',
  ]
  const words = codeRows(codes.map((code) => ({ platform: 'ios', outcome: 'skipped', code, count: 1 }))).map((row) => [
    row.code,
    needOf(row).words,
  ])
  expect(Object.groupBy(words, ([, need]) => String(need))).toEqual({
    'No action needed': [expect.arrayContaining(['owner_changed']), expect.arrayContaining(['token_dead'])],
    'Working as configured': ['cancelled', 'frequency_cap', 'holdout', 'opted_out', 'quiet_hours'].map((code) => [code, expect.anything()]),
    'Action required': ['expired', 'not_configured'].map((code) => [code, expect.anything()]),
  })
})
