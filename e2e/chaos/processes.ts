import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads the running processes from the starter's list: name (`audience-1`, `postgres`) → pid. */
export const runningProcesses = (dataDir: string): Map<string, number> =>
  new Map(Object.entries(JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8')) as Record<string, number>))

/** Lists a process and its children. To freeze Postgres, its backends must be frozen as well as the postmaster. */
export function familyOf(pid: number): number[] {
  const pairs = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return [pid, ...pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))]
}

/** Sends a signal to processes. A process that has died already is not an error. */
export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // the process has ended already
    }
  }
}

/** Gives the pid of a process that has logged that it is ready (LOG_LEVEL info), or undefined while it has not. */
export function readyPid(dataDir: string, name: string): number | undefined {
  const pid = runningProcesses(dataDir).get(name)
  if (pid === undefined) return undefined
  return readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8').includes(`"pid":${pid},"msg":"ready"`) ? pid : undefined
}

/** Reads the log lines of a service's first process, or of the one process that runs all services. */
export function logLinesOf(dataDir: string, app: string): string[] {
  const ofAll = join(dataDir, 'logs', 'server-1.log')
  const lines = readFileSync(existsSync(ofAll) ? ofAll : join(dataDir, 'logs', `${app}-1.log`), 'utf8').split('\n')
  return lines.filter((line) => line.includes(`"app":"${app}"`))
}

/** Reads the CPU seconds that a process has used so far (Linux); undefined when the process has ended. */
export function cpuSecondsOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [userTicks = 0, systemTicks = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    return (userTicks + systemTicks) / 100
  } catch {
    return undefined
  }
}
