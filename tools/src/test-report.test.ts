import { expect, test } from 'vitest'
import { countsLine, countTests, filesToRunAgain, readReport, slowestFiles, withSecondRun, type Report } from './test-report.ts'

type FileReport = Report['files'][number]
type State = FileReport['tests'][number]['state']

const file = (path: string, tests: Record<string, State>, given: Partial<FileReport> = {}): FileReport => ({
  path,
  failed: Object.values(tests).includes('failed'),
  seconds: 1,
  tests: Object.entries(tests).map(([title, state]) => ({ title, state })),
  ...given,
})
const report = (...files: FileReport[]) => readReport(JSON.stringify({ unhandledErrors: 0, files }))

test('the last line of npm test has the numbers of passed and failed tests, and of skipped tests when there are any', () => {
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

test('when up to five files fail they run a second time; more failed files, or an error outside every test, get no second run', () => {
  const failed = (count: number) => Array.from({ length: count }, (_, n) => file(`${n}.test.ts`, { one: 'failed' }))
  const right = file('right.test.ts', { one: 'passed' })

  expect(filesToRunAgain(report(right, ...failed(5)))).toEqual(failed(5).map(({ path }) => path))
  expect(filesToRunAgain(report(right, ...failed(6)))).toEqual([])
  expect(filesToRunAgain({ ...report(right, ...failed(1)), unhandledErrors: 1 })).toEqual([])
  expect(filesToRunAgain(report(right))).toEqual([])
})

/** A first run in which one test failed because the machine was slow and one because the code is wrong. */
const first = report(file('a.test.ts', { right: 'passed' }), file('b.test.ts', { right: 'passed', slow: 'failed', wrong: 'failed' }))

test('a test that passes in the second run counts as passed and is named; a test that fails in both runs counts as failed', () => {
  const both = withSecondRun(first, report(file('b.test.ts', { right: 'passed', slow: 'passed', wrong: 'failed' })))

  expect(countTests(both.report)).toEqual({ passed: 3, failed: 1, skipped: 0 })
  expect(both.passedNow).toEqual(['b.test.ts > slow'])
})

test('a test that passes in the first run and fails in the second counts as failed', () => {
  const both = withSecondRun(first, report(file('b.test.ts', { right: 'failed', slow: 'passed', wrong: 'passed' })))

  expect(countTests(both.report)).toEqual({ passed: 3, failed: 1, skipped: 0 })
})

test('a failed test stays failed when its file does not load, or does not run, in the second run', () => {
  for (const second of [report(file('b.test.ts', {}, { failed: true })), report()]) {
    const both = withSecondRun(first, second)
    expect(countTests(both.report)).toEqual({ passed: 2, failed: 2, skipped: 0 })
    expect(both.passedNow).toEqual([])
  }
})

test('a file whose servers did not start in the first run is named as a whole, and its tests of the second run count', () => {
  const broken = report(file('b.test.ts', { one: 'skipped', two: 'skipped' }, { failed: true }))
  const both = withSecondRun(broken, report(file('b.test.ts', { one: 'passed', two: 'passed' })))

  expect(countTests(both.report)).toEqual({ passed: 2, failed: 0, skipped: 0 })
  expect(both.passedNow).toEqual(['b.test.ts > the file as a whole'])
})

test('two tests with the same title count as two tests in both runs', () => {
  const twins = (one: State, other: State) => {
    const tests = [one, other].map((state) => ({ title: 'same', state }))
    return report({ ...file('b.test.ts', {}), tests, failed: other === 'failed' })
  }
  const both = withSecondRun(twins('passed', 'failed'), twins('passed', 'passed'))

  expect(countTests(both.report)).toEqual({ passed: 2, failed: 0, skipped: 0 })
  expect(both.passedNow).toEqual(['b.test.ts > same'])
})

test('npm test lists the ten files that took longest, the slowest first', () => {
  const files = Array.from({ length: 12 }, (_, n) => file(`${n}.test.ts`, { one: 'passed' }, { seconds: n + 0.5 }))
  const lines = slowestFiles(report(...files))

  expect(lines).toHaveLength(10)
  expect([lines[0], lines.at(-1)]).toEqual(['  11.5 s  11.test.ts', '   2.5 s  2.test.ts'])
})
