import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export type ProcessUse = { name: string; pid: number; cpuSeconds: number; peakRssMb: number }

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).trim())

/**
 * CPU time and peak memory of every process of a platform, from /proc (Linux): the apps and the simulator, nats-server,
 * and Postgres with its backends as one. A process belongs to the platform when its environment or command line names
 * the data directory; a Postgres backend when its parent does.
 */
export function measureProcesses(dataDir: string): ProcessUse[] {
  const uses = new Map<string, ProcessUse>()

  const seen: { pid: number; parent: number; cpuSeconds: number; peakRssMb: number; command: string; ours: boolean }[] = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const stat = read(`/proc/${pid}/stat`)
    if (stat === '') continue
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

    seen.push({
      pid,
      parent: Number(fields[1]),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      peakRssMb: Math.round(Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024),
      command,
      ours: command.includes(dataDir) || read(`/proc/${pid}/environ`).includes(dataDir),
    })
  }
  const postmaster = seen.find(({ ours, command }) => ours && /postgres.* -D /.test(command))?.pid
  for (const { pid, parent, cpuSeconds, peakRssMb, command, ours } of seen) {
    const backend = parent === postmaster
    if (!ours && !backend) continue
    const name = pid === postmaster || backend ? 'postgres' : nameOf(command)
    if (!name) continue
    const known = uses.get(name)
    if (known && name === 'postgres') {
      known.cpuSeconds += cpuSeconds
      known.peakRssMb = Math.max(known.peakRssMb, peakRssMb)
    } else {
      uses.set(known ? `${name} ${pid}` : name, { name, pid: name === 'postgres' ? (postmaster ?? pid) : pid, cpuSeconds, peakRssMb })
    }
  }
  return [...uses.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

const nameOf = (command: string): string | undefined =>
  command.includes('nats-server') ? 'nats-server' : /apps\/(\w+)\/src\/main\.ts/.exec(command)?.[1]

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
