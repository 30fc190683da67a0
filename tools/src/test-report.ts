import { z } from 'zod'
import type { Tier } from './test-options.ts'

/**
 * What report-writer.ts writes about a run. `title` includes the titles of the groups around the test. `failed` is true also for a file that did not
 * load.
 */
const Report = z.object({
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

/** Lists the 40 files that took longest, one line each. */
export const slowestFiles = ({ files }: Report): string[] =>
  files
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, 40)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path}`)

/** Writes the line with the counts. Scripts read this line, so its form must not change. */
export function countsLine({ passed, failed, skipped }: TestCounts): string {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** The scripts of package.json that test with Docker, Java, Go, further runtimes or much time. They are in no tier. */
export const ownScripts = [
  'test:browser',
  'test:compose',
  'test:mobile',
  'test:clients',
  'test:runtimes',
  'test:rules',
  'test:upgrade',
  'test:pooler',
  'test:cluster',
  'test:charts',
  'chaos',
] as const

/** Writes the last line, which says what a run did not run and which script does. `without` names what its arguments left out. */
export function notRunLine({ tier, longFiles, without }: { tier: Tier; longFiles: number; without: readonly string[] }): string {
  const left = [
    ...without,
    ...(tier === 'quick' ? [`${longFiles} long test files (npm run test:rest)`] : []),
    ...(tier === 'rest' ? ['checks, lint, types and all other test files (npm test)'] : []),
    `what needs a script of its own (npm run ${ownScripts.join(', ')})`,
  ]
  return `not run: ${left.join('; ')}`
}
