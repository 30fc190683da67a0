import { z } from 'zod'

/**
 * What report-writer.ts writes about a run. `title` includes the titles of the groups around the test. `failed` is true also for a file that did not
 * load.
 */
const Report = z.object({
  unhandledErrors: z.number(),
  files: z.array(
    z.object({
      path: z.string(),
      failed: z.boolean(),
      seconds: z.number(),
      tests: z.array(z.object({ title: z.string(), state: z.enum(['passed', 'failed', 'skipped', 'pending']) })),
    }),
  ),
})
export type Report = z.infer<typeof Report>
type FileReport = Report['files'][number]

export type TestCounts = { passed: number; failed: number; skipped: number }

export const readReport = (json: string): Report => Report.parse(JSON.parse(json))

/** Counts tests. A file that failed as a whole, because it did not load or one of its hooks failed, counts as one failed test. */
export function countTests({ files }: Report): TestCounts {
  const tests = files.flatMap((file) => file.tests)
  const passed = tests.filter(({ state }) => state === 'passed').length
  const failed = tests.filter(({ state }) => state === 'failed').length
  return { passed, failed: failed + files.filter(isBroken).length, skipped: tests.length - passed - failed }
}

const isBroken = ({ failed, tests }: FileReport): boolean => failed && tests.every(({ state }) => state !== 'failed')

/** When more files than this failed, none is run again, because so many failures have a cause that a second run would not remove. */
const mostRunAgain = 5

/** Lists the files to run a second time: those that failed. The list is empty when more than 5 failed, or when an error belongs to no test. */
export function filesToRunAgain({ unhandledErrors, files }: Report): string[] {
  const failed = files.filter((file) => file.failed)
  return unhandledErrors > 0 || failed.length > mostRunAgain ? [] : failed.map(({ path }) => path)
}

/**
 * Replaces the failed files of the first run by their second run. `passedNow` names each test that failed in the first run and passed in the second,
 * as `<file> > <title>`, and each file that failed as a whole in the first run alone. A failed test that is missing in the second run, because its
 * file did not load, stays failed.
 */
export function withSecondRun(first: Report, second: Report): { report: Report; passedNow: string[] } {
  const passedNow: string[] = []
  const files = first.files.map((file) => {
    const again = second.files.find(({ path }) => path === file.path)
    if (!file.failed || !again) return file
    const left = [...again.tests]
    const tests = file.tests.map((test) => {
      // Titles may repeat, so each test of the second run is matched once, in order.
      const place = left.findIndex(({ title }) => title === test.title)
      const [now = test] = place < 0 ? [] : left.splice(place, 1)
      if (test.state === 'failed' && now.state === 'passed') passedNow.push(`${file.path} > ${test.title}`)
      return now
    })
    if (isBroken(file) && !again.failed) passedNow.push(`${file.path} > the file as a whole`)
    return { ...file, failed: again.failed, tests: [...tests, ...left] }
  })
  return { report: { unhandledErrors: second.unhandledErrors, files }, passedNow }
}

/** Lists the ten files that took longest, one line each. */
export const slowestFiles = ({ files }: Report): string[] =>
  files
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, 10)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path}`)

/** Writes the last line of `npm test`. Scripts read this line, so its form must not change. */
export function countsLine({ passed, failed, skipped }: TestCounts): string {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
