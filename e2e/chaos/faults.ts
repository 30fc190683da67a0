import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Herald } from '@herald/testing/herald'
import type { Platform } from './platform.ts'
import { familyOf, runningProcesses, signalAll } from './processes.ts'
import type { Random } from './random.ts'

export type Stage = Platform & { random: Random }
/**
 * What a fault did. `dispatchersLost` is how many dispatchers it killed, or froze for more than 8 s. After each of these up to a window of pushes
 * (DISPATCH_WINDOW) may be sent twice.
 */
export type Done = { what: string; dispatchersLost: number }
export type Fault = (stage: Stage) => Promise<Done>

const appNames = /^(gateway|audience|campaigns|dispatcher|tracker|webhooks|server)-\d+$/

function pickApp({ herald, random }: Stage): { name: string; pid: number } | undefined {
  const apps = [...runningProcesses(herald.dataDir)].filter(([name]) => appNames.test(name))
  if (apps.length === 0) return undefined
  const [name, pid] = random.pick(apps)
  return { name, pid }
}

const pidOf = (herald: Herald, name: string) => runningProcesses(herald.dataDir).get(name)
/** `server-1` is one process of all services (HERALD_PROCESSES=1), with a dispatcher in it. */
const lost = (name: string) => (/^(dispatcher|server)/.test(name) ? 1 : 0)

const killApp: Fault = async (stage) => {
  const app = pickApp(stage)
  if (!app) return { what: 'nothing to kill', dispatchersLost: 0 }
  signalAll([app.pid], 'SIGKILL')
  return { what: `kill -9 ${app.name}`, dispatchersLost: lost(app.name) }
}

const stopApp: Fault = async (stage) => {
  const app = pickApp(stage)
  if (!app) return { what: 'nothing to stop', dispatchersLost: 0 }
  signalAll([app.pid], 'SIGTERM')
  return { what: `SIGTERM ${app.name}`, dispatchersLost: 0 }
}

/**
 * Freezes a process of a service for up to 14 s. After 8 s a dispatcher may lose its batches: a lease lasts 12 s and the last renewal may be 3 s old.
 * Thawed, it must notice before sending.
 */
const freezeApp: Fault = async (stage) => {
  const app = pickApp(stage)
  if (!app) return { what: 'nothing to freeze', dispatchersLost: 0 }
  const ms = stage.random.between(500, 14_000)
  signalAll([app.pid], 'SIGSTOP')
  await pause(ms)
  signalAll([app.pid], 'SIGCONT')
  return { what: `froze ${app.name} for ${Math.round(ms)} ms`, dispatchersLost: ms > 8_000 ? lost(app.name) : 0 }
}

const signalServer =
  (name: 'postgres' | 'nats-server', signal: NodeJS.Signals, words: string): Fault =>
  async ({ herald }) => {
    const pid = pidOf(herald, name)
    if (pid !== undefined) signalAll([pid], signal)
    return { what: `${words} ${name}`, dispatchersLost: 0 }
  }

/** Freezes Postgres or NATS for at most 5 s. Meanwhile a dispatcher cannot renew its leases, but 5 s are too short for a lease to end. */
const freezeServer =
  (name: 'postgres' | 'nats-server'): Fault =>
  async ({ herald, random }) => {
    const pid = pidOf(herald, name)
    if (pid === undefined) return { what: `${name} is away`, dispatchersLost: 0 }
    const ms = random.between(500, 5_000)
    const pids = familyOf(pid)
    signalAll(pids, 'SIGSTOP')
    await pause(ms)
    signalAll(pids, 'SIGCONT')
    return { what: `froze ${name} for ${Math.round(ms)} ms`, dispatchersLost: 0 }
  }

/** Kills nats-server and deletes its store. The starter starts nats-server again after 0.2 s or more. */
const loseNatsStore: Fault = async ({ herald }) => {
  const pid = pidOf(herald, 'nats-server')
  if (pid !== undefined) signalAll([pid], 'SIGKILL')
  rmSync(join(herald.dataDir, 'nats', 'jetstream'), { recursive: true, force: true })
  return { what: 'killed nats-server and deleted its store', dispatchersLost: 0 }
}

/**
 * Makes a provider answer wrongly or slowly. No push may be lost or sent twice by it, because each of these answers says for certain whether the
 * provider took the push.
 */
const troubleProvider: Fault = async ({ tenant, random }) => {
  const service = random.pick(['apns', 'fcm', 'web-push'])
  const trouble = random.pick([{ outage: '503' }, { goawayEvery: 200 }, { refuseStreamShare: 0.01 }, { latencyMs: 150 }])
  const ms = random.between(500, 3_000)
  await tenant.simulator('PUT', '/faults', { service, ...trouble })
  await pause(ms)
  await tenant.simulator('PUT', '/faults', { service, outage: null, goawayEvery: 0, refuseStreamShare: 0, latencyMs: 0 })
  return { what: `${service}: ${JSON.stringify(trouble)} for ${Math.round(ms)} ms`, dispatchersLost: 0 }
}

/** Every fault by name. The seed of a run picks from these; by default it picks `kill-app` four times as often as each of the others. */
export const faults = {
  'kill-app': killApp,
  'stop-app': stopApp,
  'freeze-app': freezeApp,
  'kill-postgres': signalServer('postgres', 'SIGKILL', 'kill -9'),
  'stop-postgres': signalServer('postgres', 'SIGINT', 'stopped'),
  'freeze-postgres': freezeServer('postgres'),
  'kill-nats': signalServer('nats-server', 'SIGKILL', 'kill -9'),
  'freeze-nats': freezeServer('nats-server'),
  'lose-nats-store': loseNatsStore,
  provider: troubleProvider,
} satisfies Record<string, Fault>
export type FaultName = keyof typeof faults

/** Undoes what a fault may have left behind: frozen processes and a provider in trouble. */
export async function endFaults({ herald, tenant }: Stage): Promise<void> {
  for (const pid of runningProcesses(herald.dataDir).values()) signalAll(familyOf(pid), 'SIGCONT')
  await tenant.simulator('DELETE', '/faults')
}
