import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What runs at the moment, as the starter lists it: `audience-1`, `postgres`, … → pid. */
export const runningProcesses = (dataDir: string): Map<string, number> =>
  new Map(Object.entries(JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8')) as Record<string, number>))

/** A process and its children: a frozen Postgres is its backends too, not only the postmaster. */
export function familyOf(pid: number): number[] {
  const pairs = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return [pid, ...pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))]
}

/** Signals those that are still there; one that died meanwhile is no error, dying is what this is about. */
export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // gone already
    }
  }
}
