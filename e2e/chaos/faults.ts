import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Herald } from '@herald/testing/herald'
import type { Platform } from './platform.ts'
import { familyOf, runningProcesses, signalAll } from './processes.ts'
import type { Random } from './random.ts'

export type Stage = Platform & { random: Random }
/**
 * What a fault did, and how many dispatchers it killed, or froze for 8 s or more, that may have had pushes under way. Each such dispatcher may cause one
 * window of copies.
 */
export type Done = { what: string; dispatchersLost: number }
export type Fault = (stage: Stage) => Promise<Done>

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const appNames = /^(gateway|audience|campaigns|dispatcher|tracker|webhooks)-\d+$/

function pickApp({ herald, random }: Stage): { name: string; pid: number } | undefined {
  const apps = [...runningProcesses(herald.dataDir)].filter(([name]) => appNames.test(name))
  if (apps.length === 0) return undefined
  const [name, pid] = random.pick(apps)
  return { name, pid }
}

const pidOf = (herald: Herald, name: string) => runningProcesses(herald.dataDir).get(name)
const lost = (name: string) => (name.startsWith('dispatcher') ? 1 : 0)

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
 * Freezes a service, sometimes for longer than a lease. Then another process takes over, and the thawed process must notice this before it sends
 * again. Its last renewal may be as old as 3 s and the time of a call.
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

/** Freezes Postgres or NATS for at most 5 s. Meanwhile a dispatcher cannot renew its leases. */
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

/** The supervisor starts nats-server again after 0.2 s, with an empty store. */
const loseNatsStore: Fault = async ({ herald }) => {
  const pid = pidOf(herald, 'nats-server')
  if (pid !== undefined) signalAll([pid], 'SIGKILL')
  rmSync(join(herald.dataDir, 'nats', 'jetstream'), { recursive: true, force: true })
  return { what: 'killed nats-server and deleted its store', dispatchersLost: 0 }
}

/**
 * Makes a provider answer wrongly or slowly. After each of these troubles it is certain whether the provider took the push, so no push may be lost or
 * copied.
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

/** Every fault by name. The seed of a run picks faults from this list; by default services are killed more often than the other faults happen. */
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
