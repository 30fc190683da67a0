import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The CPU and memory of a process. `rssMb` is its memory now, `peakRssMb` the most in its life. For Postgres both are those of its largest process.
 */
export type ProcessUse = { name: string; pid: number; cpuSeconds: number; rssMb: number; peakRssMb: number }

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).trim())

/**
 * Measures CPU time and memory of a platform's processes from /proc (Linux); Postgres' backends count as one with it. A process belongs when its
 * environment or command line names the data directory, a backend when its parent does.
 */
export function measureProcesses(dataDir: string): ProcessUse[] {
  const uses = new Map<string, ProcessUse>()
  const named = processesOf(dataDir)
  const seen = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const stat = read(`/proc/${pid}/stat`)
    if (stat === '') continue
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

    seen.push({
      pid,
      parent: Number(fields[1]),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      endedCpuSeconds: (Number(fields[13]) + Number(fields[14])) / ticksPerSecond,
      ...memoryOf(pid),
      command,
      ours: command.includes(dataDir) || read(`/proc/${pid}/environ`).includes(dataDir),
    })
  }
  const postmaster = seen.find(({ ours, command }) => ours && /postgres.* -D /.test(command))?.pid
  for (const { pid, parent, cpuSeconds: itsOwn, endedCpuSeconds, rssMb, peakRssMb, command, ours } of seen) {
    const backend = parent === postmaster
    if (!ours && !backend) continue
    // Backends that have ended, such as those of autovacuum or of a closed connection, are not seen here. Their CPU time is in the postmaster's
    // figures for its children, so it is added to the postmaster.
    const cpuSeconds = pid === postmaster ? itsOwn + endedCpuSeconds : itsOwn
    const name = pid === postmaster || backend ? 'postgres' : (named.get(pid) ?? nameOf(command))
    if (!name) continue
    const known = uses.get(name)
    if (known && name === 'postgres') {
      known.cpuSeconds += cpuSeconds
      known.rssMb = Math.max(known.rssMb, rssMb)
      known.peakRssMb = Math.max(known.peakRssMb, peakRssMb)
    } else {
      uses.set(known ? `${name} ${pid}` : name, {
        name,
        pid: name === 'postgres' ? (postmaster ?? pid) : pid,
        cpuSeconds,
        rssMb,
        peakRssMb,
      })
    }
  }
  return [...uses.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

const nameOf = (command: string): string | undefined =>
  command.includes('nats-server')
    ? 'nats-server'
    : /(?:--service\W|services\/(?=simulator\.mjs)|apps\/(?=simulator\/)|bench\/peers\/)([\w,-]+)/.exec(command)?.[1]

/**
 * Reads the memory of a process, now and at most, in MB. Unlike measureProcesses, which reads every process, it is fast enough to be called each
 * second.
 */
export function memoryOf(pid: number): { rssMb: number; peakRssMb: number } {
  const status = read(`/proc/${pid}/status`)
  const megabytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
  return { rssMb: megabytes('VmRSS'), peakRssMb: megabytes('VmHWM') }
}

/** Gives the CPU time of each process between two measurements, in microseconds, divided by `times`. Processes of the same service are added up. */
export function cpuBetween(before: ProcessUse[], after: ProcessUse[], times: number): Record<string, number> {
  const shares: Record<string, number> = {}
  for (const { name, pid, cpuSeconds } of after) {
    const earlier = before.find((one) => one.pid === pid)?.cpuSeconds ?? 0
    shares[name] = (shares[name] ?? 0) + ((cpuSeconds - earlier) * 1e6) / times
  }
  return shares
}

/** Gives the names of the processes that a starter has listed in `<dataDir>/processes.json`, without their numbers, by pid. */
export function processesOf(dataDir: string): Map<number, string> {
  const listed = JSON.parse(read(join(dataDir, 'processes.json')) || '{}') as Record<string, number>
  return new Map(Object.entries(listed).map(([name, pid]) => [pid, name.replace(/-\d+$/, '')]))
}

/** Counts how often the threads of each listed process went to sleep since they began, by pid. So often something woke them up. */
export function switchesOf(dataDir: string): Map<number, number> {
  const ofThread = (path: string) => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(read(path))?.[1] ?? 0)
  const ofProcess = (pid: number) =>
    readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ofThread(`/proc/${pid}/task/${thread}/status`), 0)
  return new Map([...processesOf(dataDir).keys()].map((pid) => [pid, ofProcess(pid)]))
}

/** Reads the memory of a process in MB, in which a page that several processes share counts by shares (PSS). */
export const sharedMemoryOf = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
