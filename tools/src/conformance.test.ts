import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { columns, conformanceTable, isRun, points } from './conformance.ts'
import { root } from './workspace.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const rules = new Map(
  [...read('docs/guide/protocol.md').matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(([, number, rule = '']) => [Number(number), rule]),
)
const textOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] })
    .map(read)
    .join('\n')

test('the conformance list has the twenty points of the protocol, in their order', () => {
  expect(points.map(({ number }) => number)).toEqual([...rules.keys()])
  expect(rules.size).toBe(20)
})

test.each([
  ['web', ['sdks/web/src/*.test.ts', 'e2e/browser/*.ts', 'e2e/browser/long/*.ts'], points.flatMap(({ web }) => web)],
  ['Kotlin and Swift', ['e2e/mobile/walk.ts'], points.flatMap(({ walk, phone = {} }) => [...walk, ...Object.values(phone).flat()])],
  ['React Native', ['sdks/react-native/src/*.test.ts'], points.flatMap(({ script = [] }) => script)],
] as const)('every test that the conformance list names for %s exists', (_, patterns, named) => {
  const text = textOf(...patterns)
  expect(named.length).toBeGreaterThan(2)
  expect(named.filter((title) => !text.includes(title))).toEqual([])
})

test('docs/conformance.md has the table of the conformance list, and every gap has a reason', () => {
  // The formatter decides how wide a column is.
  const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{2,}/g, '-')
  expect(plain(read('docs/conformance.md'))).toContain(plain(conformanceTable(rules)))
  expect(points.filter((point) => columns.some((sdk) => isRun(point, sdk) === '–') && point.why === undefined)).toEqual([])
})
