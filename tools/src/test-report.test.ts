import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countsLine, countTests, notRunLine, ownScripts, readReport, slowestFiles, type Report } from './test-report.ts'
import type { Tier } from './test-options.ts'
import { root } from './workspace.ts'

type FileReport = Report['files'][number]
type State = FileReport['tests'][number]['state']

const file = (path: string, tests: Record<string, State>, given: Partial<FileReport> = {}): FileReport => ({
  path,
  failed: Object.values(tests).includes('failed'),
  seconds: 1,
  tests: Object.entries(tests).map(([title, state]) => ({ title, state })),
  ...given,
})
const report = (...files: FileReport[]) => readReport(JSON.stringify({ files }))

test('a line of npm test has the numbers of passed, failed and, when there are any, skipped tests', () => {
  expect(countsLine({ passed: 12, failed: 0, skipped: 0 })).toBe('tests: 12 passed, 0 failed')
  expect(countsLine({ passed: 12, failed: 1, skipped: 2 })).toBe('tests: 12 passed, 1 failed, 2 skipped')
})

test('a test file that does not load counts as a failed test', () => {
  const read = report(file('a.test.ts', { one: 'passed', two: 'passed' }), file('b.test.ts', {}, { failed: true }))

  expect(countTests(read)).toEqual({ passed: 2, failed: 1, skipped: 0 })
})

test('a failed test is counted once, although its file counts as failed too', () => {
  const read = report(file('a.test.ts', { one: 'passed', two: 'failed', three: 'skipped' }))

  expect(countTests(read)).toEqual({ passed: 1, failed: 1, skipped: 1 })
})

test('npm test lists the 40 files that took longest, the slowest first', () => {
  const files = Array.from({ length: 50 }, (_, n) => file(`${n}.test.ts`, { one: 'passed' }, { seconds: n + 0.5 }))
  const lines = slowestFiles(report(...files))

  expect(lines).toHaveLength(40)
  expect([lines[0], lines.at(-1)]).toEqual(['  49.5 s  49.test.ts', '  10.5 s  10.test.ts'])
})

test('the last line of a run says what the run did not run, and which script runs it', () => {
  const own =
    'what needs a script of its own (npm run test:browser, test:compose, test:mobile, test:clients, test:runtimes, test:rules, test:upgrade, test:pooler, test:cluster, test:charts, chaos)'
  const line = (tier: Tier, without: string[] = []) => notRunLine({ tier, longFiles: 70, without })

  expect(line('quick')).toBe(`not run: 70 long test files (npm run test:rest); ${own}`)
  expect(line('rest')).toBe(`not run: checks, lint, types and all other test files (npm test); ${own}`)
  expect(line('all', ['the other 3 of 4 shards'])).toBe(`not run: the other 3 of 4 shards; ${own}`)
})

test('every script that the last line names is in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

  expect(ownScripts.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})
