import { spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Says whether a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Gives the command line of a process; undefined when there is no such process. Pids are used again, so a pid alone proves nothing. */
export function commandLineOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const line = readIfThere(`/proc/${pid}/cmdline`)
    return line === undefined || line === '' ? undefined : line.replaceAll('\0', ' ').trim()
  }
  return askPs(pid, 'command=')
}

/**
 * Gives a text that identifies a process even when its pid is used again: on Linux the machine's boot and the moment of its start, elsewhere the
 * moment alone. Undefined when there is no such process.
 */
export function identityOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return askPs(pid, 'lstart=')
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // By proc(5), field 22 is the start time in clock ticks since boot. Field 2 is the name in brackets, which may have blanks.
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // The state Z is that of a dead process whose parent has not asked for its exit code. It counts as gone, because it holds no resources any more.
  if (afterName[0] === 'Z') return undefined
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return `${boot}:${afterName[19]}`
}

/** Ends a child process: sends the first signal at once, and each further one `waitMs` after the one before. Returns when the child has ended. */
export async function endChild(
  child: ChildProcess,
  first: NodeJS.Signals,
  then: [waitMs: number, signal: NodeJS.Signals][],
): Promise<void> {
  if (hasEnded(child)) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(first)
  let total = 0
  const timers = then.map(([waitMs, signal]) => setTimeout(() => child.kill(signal), (total += waitMs)))
  await gone
  for (const timer of timers) clearTimeout(timer)
}

/** Says whether a child process has ended, by itself or by a signal. */
export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

function askPs(pid: number, column: string): string | undefined {
  const answer = spawnSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8' })
  const text = answer.status === 0 ? answer.stdout.trim() : ''
  return text === '' ? undefined : text
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
