import { expect, test } from 'vitest'
import { openQuota } from './quota.ts'

test('each project has a minute’s worth of messages, which fills evenly; refused messages do not count', () => {
  let now = 0
  const quota = openQuota(() => now)
  expect(quota.take('one')).toBe(true)
  quota.set(60)
  const takeMany = (project: string) => Array.from({ length: 100 }, () => quota.take(project)).filter(Boolean).length
  expect([takeMany('one'), takeMany('two'), quota.refused()]).toEqual([60, 60, 80])
  now += 10_000
  expect(takeMany('one')).toBe(10)
  now += 600_000
  expect(takeMany('one')).toBe(60)
  quota.set(null)
  expect(takeMany('one')).toBe(100)
})
