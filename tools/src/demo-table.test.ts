import { expect, test } from 'vitest'
import { demoTable, type Push } from './demo-table.ts'

const push = (platform: Push['platform'], outcome: Push['outcome'], code: string | null, ...engagements: string[]): Push => ({
  platform,
  outcome,
  code,
  engagements,
})

test('the demo’s table counts pushes by outcome and reports, by platform and in all, failures by code', () => {
  const lines = demoTable(
    [
      push('ios', 'sent', null, 'delivered', 'opened'),
      push('ios', 'failed', 'token_dead'),
      push('android', 'sent', null, 'delivered'),
      push('web', 'skipped', 'silent_web'),
    ],
    1.234,
  )

  const row = (name: string) =>
    lines
      .find((line) => line.trim().startsWith(name))
      ?.trim()
      .split(/\s+/)
      .slice(1)
      .map(Number)
  expect(row('ios')).toEqual([2, 1, 1, 0, 1, 1])
  expect(row('android')).toEqual([1, 1, 0, 0, 1, 0])
  expect(row('web')).toEqual([1, 0, 0, 1, 0, 0])
  expect(row('total')).toEqual([4, 2, 1, 1, 2, 1])
  expect(lines).toContain('  failed token_dead: 1')
  expect(lines).toContain('  skipped silent_web: 1')
  expect(lines.at(-1)).toContain('1.23 s')
})
