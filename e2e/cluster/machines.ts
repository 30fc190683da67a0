import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A machine as far as the network goes: a network namespace with one address. `launcher` is a command in front of another that runs it there. */
export type Machine = { name: string; host: string; launcher: string[] }

export type Network = {
  /** The address at which the machines reach the processes that run in no namespace. Its name on the machines is `simulator`, as the certificate says. */
  host: string
  /** All addresses of the network, such as `10.213.7.0/24`. */
  range: string
  machines: Machine[]
  /** From now on every packet from and to the machine vanishes: nothing is refused, and no side is told. */
  cut: (machine: Machine) => void
  mend: (machine: Machine) => void
  /** Kills what still runs on the machines and removes the network. */
  remove: () => void
}

/** Begins the names of all namespaces; the pid of the process that made them follows. */
const prefix = 'herald-net-'
/** The name of the interface of the root namespace, which may have 15 characters. */
const linkOf = (pid: number) => `heraldnet${pid.toString(36)}`

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
/** Runs a command of which nothing is left to do when it fails. */
const ipOrNothing = (...args: string[]): string => {
  try {
    return ip(...args)
  } catch {
    return ''
  }
}

/**
 * Makes a network of `count` machines behind a router in its own namespace, away from this machine's firewall. On a bridge, neighbours of a cut-off
 * machine would get "no route to host" after 3 s. Needs root and iproute2.
 */
export function makeNetwork(count: number): Network {
  removeForgotten()
  const own = `${prefix}${process.pid}-`
  const router = `${own}router`
  const net = freeRange()
  const folder = mkdtempSync(join(tmpdir(), 'herald-network-'))
  const hosts = join(folder, 'hosts')
  writeFileSync(hosts, `127.0.0.1 localhost\n${net}.1 simulator\n`)
  const remove = () => {
    process.off('exit', remove)
    removeNetworkOf(process.pid)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', remove)
  const machines = Array.from({ length: count }, (_, index): Machine => {
    const name = `${own}${index + 1}`
    // `ip netns exec` gives each command a mount namespace of its own, so this hosts file is seen by no other program.
    const command = `mount --bind ${hosts} /etc/hosts && exec "$0" "$@"`
    return { name, host: `${net}.${index + 11}`, launcher: ['ip', 'netns', 'exec', name, 'sh', '-c', command] }
  })
  try {
    for (const { name } of [{ name: router }, ...machines]) {
      ip('netns', 'add', name)
      ip('-n', name, 'link', 'set', 'lo', 'up')
    }
    execFileSync('ip', ['netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'], { stdio: 'pipe' })
    const root = { host: `${net}.1`, link: linkOf(process.pid), at: [], to: `${net}.0/24`, port: 'root' }
    const links = machines.map(({ name, host }, index) => ({
      host,
      link: 'eth0',
      at: ['-n', name],
      to: 'default',
      port: `machine${index + 1}`,
    }))
    for (const { host, link, at, to, port } of [root, ...links]) {
      ip(...at, 'link', 'add', link, 'type', 'veth', 'peer', 'name', port, 'netns', router)
      ip('-n', router, 'addr', 'add', `${net}.254/32`, 'dev', port)
      ip('-n', router, 'link', 'set', port, 'up')
      ip('-n', router, 'route', 'add', host, 'dev', port)
      ip(...at, 'addr', 'add', `${host}/32`, 'dev', link)
      ip(...at, 'link', 'set', link, 'up')
      ip(...at, 'route', 'add', to, 'via', `${net}.254`, 'dev', link, 'onlink')
    }
  } catch (error) {
    remove()
    throw new Error(`No network namespaces can be made here, which needs root and iproute2: ${String(error)}`, { cause: error })
  }
  const away = new Set<Machine>()
  const blackhole = (what: 'add' | 'del', { host }: Machine) => {
    for (const way of ['from', 'to']) ip('-n', router, 'rule', what, way, host, 'blackhole')
  }
  return {
    host: `${net}.1`,
    range: `${net}.0/24`,
    machines,
    cut(machine) {
      away.add(machine)
      blackhole('add', machine)
    },
    mend(machine) {
      if (away.delete(machine)) blackhole('del', machine)
    },
    remove,
  }
}

/** Removes the networks of processes that were killed before they could do it. */
function removeForgotten(): void {
  const pids = namespaces().map((name) => Number(name.slice(prefix.length).split('-')[0]))
  for (const pid of new Set(pids)) if (!existsSync(`/proc/${pid}`)) removeNetworkOf(pid)
}

function removeNetworkOf(pid: number): void {
  for (const name of namespaces().filter((each) => each.startsWith(`${prefix}${pid}-`))) {
    for (const left of ipOrNothing('netns', 'pids', name).split('\n').filter(Boolean)) kill(Number(left))
    ipOrNothing('netns', 'del', name)
  }
  ipOrNothing('link', 'del', linkOf(pid))
}

const namespaces = (): string[] =>
  ipOrNothing('netns', 'list')
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name.startsWith(prefix))

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // the process has ended already
  }
}

/** Gives the beginning of 256 addresses that this machine has no route to: those that belong to the pid, or the next that are free. */
function freeRange(): string {
  const routes = ipOrNothing('-4', 'route', 'show', 'table', 'all')
  for (let third = 0; third < 256; third += 1) {
    const net = `10.213.${(process.pid + third) % 256}`
    if (!routes.includes(`${net}.`)) return net
  }
  throw new Error('this machine has routes to all of 10.213.0.0/16')
}
