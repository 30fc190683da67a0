import { z } from 'zod'

/** What report-writer.ts writes of a run. `title` holds the titles of the groups too, and `failed` is also true of a file that did not load. */
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

/** A file that failed as a whole (it did not load, or a hook of it failed) counts as one failed test. */
export function countTests({ files }: Report): TestCounts {
  const tests = files.flatMap((file) => file.tests)
  const passed = tests.filter(({ state }) => state === 'passed').length
  const failed = tests.filter(({ state }) => state === 'failed').length
  return { passed, failed: failed + files.filter(isBroken).length, skipped: tests.length - passed - failed }
}

const isBroken = ({ failed, tests }: FileReport): boolean => failed && tests.every(({ state }) => state !== 'failed')

/** A run with more failed files than this has a reason that a second run would not remove. */
const mostRunAgain = 5

/** The files to run a second time: those that failed. None when more than 5 failed, or when an error belongs to no test. */
export function filesToRunAgain({ unhandledErrors, files }: Report): string[] {
  const failed = files.filter((file) => file.failed)
  return unhandledErrors > 0 || failed.length > mostRunAgain ? [] : failed.map(({ path }) => path)
}

/**
 * Puts the second run of the failed files in the place of the first one. `passedNow` names each test that failed at first and passed in the second run, as
 * `<file> > <title>`. A failed test that the second run does not have, because its file did not load, stays failed.
 */
export function withSecondRun(first: Report, second: Report): { report: Report; passedNow: string[] } {
  const passedNow: string[] = []
  const files = first.files.map((file) => {
    const again = second.files.find(({ path }) => path === file.path)
    if (!file.failed || !again) return file
    const left = [...again.tests]
    const tests = file.tests.map((test) => {
      // Titles may repeat, so each test of the second run is used once, in order.
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

/** The ten files that took longest, a line each. */
export const slowestFiles = ({ files }: Report): string[] =>
  files
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, 10)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path}`)

/** The last line of `npm test`. Its form is a contract: scripts read it too. */
export function countsLine({ passed, failed, skipped }: TestCounts): string {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
