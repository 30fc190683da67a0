import { expect, test } from 'vitest'
import { countsLine, readCounts } from './test-report.ts'

const report = (files: { status: string; tests: string[] }[], pending = 0) =>
  JSON.stringify({
    numPassedTests: files.flatMap((file) => file.tests).filter((status) => status === 'passed').length,
    numFailedTests: files.flatMap((file) => file.tests).filter((status) => status === 'failed').length,
    numPendingTests: pending,
    numTodoTests: 0,
    testResults: files.map((file) => ({ status: file.status, assertionResults: file.tests.map((status) => ({ status })) })),
  })

test('the last line names passed and failed, and skipped only when there are any', () => {
  expect(countsLine({ passed: 12, failed: 0, skipped: 0 })).toBe('tests: 12 passed, 0 failed')
  expect(countsLine({ passed: 12, failed: 1, skipped: 2 })).toBe('tests: 12 passed, 1 failed, 2 skipped')
})

test('a file that does not load is a failed test, not a missing one', () => {
  const json = report([
    { status: 'passed', tests: ['passed', 'passed'] },
    { status: 'failed', tests: [] },
  ])

  expect(readCounts(json)).toEqual({ passed: 2, failed: 1, skipped: 0 })
})

test('a failed test is counted once, though its file has failed too', () => {
  expect(readCounts(report([{ status: 'failed', tests: ['passed', 'failed'] }], 3))).toEqual({ passed: 1, failed: 1, skipped: 3 })
})
