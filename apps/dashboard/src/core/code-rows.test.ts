import { expect, test } from 'vitest'
import { codeRows } from './code-rows.ts'

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
