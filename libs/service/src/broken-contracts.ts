import { idsOf, type Log } from './log.ts'

/**
 * A writer writes at most one line in this time, so that a flood of broken messages does not flood the log. The next line says how many messages had
 * no line since the last one (`unsaid`).
 */
const everyMs = 10_000
/**
 * At most this many wrong fields are named in a line, each with at most `longestPath` characters. A body of 3 MB can be wrong in a hundred thousand
 * places, and its sender chose the names of the fields.
 */
const mostPaths = 20
const longestPath = 100

/** Opens a writer of error lines about one kind of broken message; `sentence` says what is wrong with them. */
export function brokenContracts({ log }: { log: Log }, sentence: string) {
  let lastAt = Number.NEGATIVE_INFINITY
  let unsaid = 0
  return {
    note(line: Record<string, string>, body: unknown, issues: readonly { path: readonly PropertyKey[] }[]): void {
      const now = performance.now()
      if (now - lastAt < everyMs) {
        unsaid += 1
        return
      }
      const paths = issues.slice(0, mostPaths).map(({ path }) => path.map(String).join('.').slice(0, longestPath))
      log.error({ ...line, ...idsOf(body), paths, ...(unsaid > 0 && { unsaid }) }, sentence)
      lastAt = now
      unsaid = 0
    },
  }
}
