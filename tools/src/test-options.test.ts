import { expect, test } from 'vitest'
import { readTestOptions } from './test-options.ts'

test('npm test runs the quick tier; --rest and --all choose the other tiers, --affected a base and --shard a part', () => {
  expect(readTestOptions([])).toEqual({ tier: 'quick', forVitest: [] })
  expect(readTestOptions(['--rest'])).toEqual({ tier: 'rest', forVitest: [] })
  expect(readTestOptions(['--all', '--affected=origin/main', '--shard=2/4'])).toEqual({
    tier: 'all',
    base: 'origin/main',
    shard: { number: 2, of: 4 },
    forVitest: [],
  })
})

test('npm test gives every argument that it does not know to vitest', () => {
  expect(readTestOptions(['--project', 'unit', 'apps/tracker']).forVitest).toEqual(['--project', 'unit', 'apps/tracker'])
  expect(readTestOptions(['--shard=two']).forVitest).toEqual(['--shard=two'])
})
