import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { siege, siegeTable } from './siege-tests.ts'
import { root } from './workspace.ts'

const held = siege.flatMap(([, files]) =>
  files.map((path) => ({ path, failed: false, seconds: 1, tests: [{ title: 'a', state: 'passed' as const }] })),
)

test('every test file that the siege names is there', () => {
  expect(siege.flatMap(([, files]) => files).filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('the siege holds when every file’s tests ran and passed; one that did not run fails it', () => {
  expect(siegeTable({ files: held }).held).toBe(true)
  const [, ...others] = held
  const { lines, held: holds } = siegeTable({ files: others })
  expect([holds, lines.filter((line) => line.includes('did not hold')).length]).toEqual([false, 1])
  const skipped = { path: held[0]?.path ?? '', failed: false, seconds: 1, tests: [{ title: 'a', state: 'skipped' as const }] }
  expect(siegeTable({ files: [...others, skipped] }).held).toBe(false)
})
