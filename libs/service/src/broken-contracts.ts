import { idsOf, type Log } from './log.ts'

/** A flood of what is not understood must not become a flood of lines: one in this time per contract, with the number of the others. */
const everyMs = 10_000
/** A body of 3 MB can be wrong in a hundred thousand places, and the keys in a path are the sender's. */
const mostPaths = 20
const longestPath = 100

/** The error lines about calls or messages of one contract that are not what it says. */
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
