import { z } from 'zod'

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
})

export type TestCounts = { passed: number; failed: number; skipped: number }

/** Reads the JSON report of vitest. A file that failed as a whole (it did not load, or a hook of it failed) counts as one failed test. */
export function readCounts(json: string): TestCounts {
  const report = Report.parse(JSON.parse(json))
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/** The last line of `npm test`. Its form is a contract: people and machines read it. */
export function countsLine({ passed, failed, skipped }: TestCounts): string {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
