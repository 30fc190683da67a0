import { setTimeout as sleep } from 'node:timers/promises'
import { http } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import { givenManyDevices } from '../crowd.ts'
import { onDatabase, onPlatform, type Platform } from '../platform.ts'
import { cpuSecondsOf, familyOf, runningProcesses, signalAll } from '../processes.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { checkSends, send, untilAllSettled, untilAccepted } from '../sends.ts'

const awayMs = 30_000
const noticedWithinMs = 2_000
const backWithinMs = 2_000

type Asked = { at: number; ms: number; what: string; status: number; code: string | undefined }

export const databaseAway: Scenario = {
  promise:
    'While Postgres is away data routes answer 503 database_unavailable within 2 s, and no process exits or uses 10 % of a core; 2 s after its return they answer as usual, and the send ends with exact counters and without copies.',
  async run(scene) {
    await onPlatform({ LOG_LEVEL: 'warn' }, async (platform) => {
      const devices = await givenManyDevices(platform, Math.min(scene.devices, 20_000))
      await playAway(scene, platform, devices, 'frozen', freeze)
      await playAway(scene, platform, devices, 'killed', keepKilling)
    })
  },
}

async function playAway(
  scene: Scene,
  platform: Platform,
  devices: readonly { id: string }[],
  name: string,
  away: (platform: Platform) => Promise<() => Promise<void>>,
): Promise<void> {
  const { say, note, check } = scene
  const { herald, tenant } = platform
  await tenant.simulator('POST', '/reset')
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
  const campaign = await send(tenant, `database-${name}`, devices)
  await untilAccepted(tenant, devices.length * 0.2)
  const apps = [...runningProcesses(herald.dataDir)].filter(([app]) => /-1$/.test(app) && app !== 'simulator-1')
  const client = startAsking(platform)

  say(`  Postgres is ${name} for ${awayMs / 1000} s`)
  const awayAt = performance.now()
  const bringBack = await away(platform)
  await sleep(noticedWithinMs + 3_000)
  const cpuBefore = apps.map(([, pid]) => cpuSecondsOf(pid))
  const measuredAt = performance.now()
  await sleep(awayAt + awayMs - measuredAt)
  const seconds = (performance.now() - measuredAt) / 1000
  const cpu: Record<string, number> = {}
  for (const [place, [app, pid]] of apps.entries()) {
    const used = (cpuSecondsOf(pid) ?? Number.NaN) - (cpuBefore[place] ?? Number.NaN)
    if (!Number.isNaN(used)) cpu[app] = Math.round((used / seconds) * 1000) / 10
  }
  await bringBack()
  const backAt = performance.now()
  const secondsToSettle = await untilAllSettled(tenant, [campaign])
  const asked = await client.stop()

  const during = asked.filter(({ at }) => at > awayAt + noticedWithinMs && at < backAt - 2_500)
  const answered = countBy(during, ({ what, status, code }) => `${what} ${status} ${code ?? ''}`)
  const slow = asked.filter(({ at, ms }) => at > awayAt + noticedWithinMs && ms > noticedWithinMs)
  const other = asked.filter(({ status, code }) => status >= 500 && code !== 'database_unavailable')
  const late = asked.filter(({ at, status }) => at > backAt + backWithinMs && status >= 500)
  const exited = apps.filter(([app, pid]) => runningProcesses(herald.dataDir).get(app) !== pid).map(([app]) => app)
  note({
    [`${name}.answers`]: answered,
    [`${name}.cpuPercent`]: cpu,
    [`${name}.secondsToSettle`]: secondsToSettle,
    [`${name}.otherFaults`]: countBy(other, ({ what, status, code }) => `${what} ${status} ${code ?? ''}`),
  })
  check(
    name !== 'frozen' || during.every(({ status, code }) => status === 503 && code === 'database_unavailable'),
    `${name}: not only 503 database_unavailable while it was away: ${JSON.stringify(answered)}`,
  )
  check(during.length > 50, `${name}: only ${during.length} answers while it was away`)
  check(slow.length === 0, `${name}: ${slow.length} answers took longer than 2 s: ${JSON.stringify(slow.slice(0, 3))}`)
  check(other.length === 0, `${name}: ${other.length} other answers of 5xx: ${JSON.stringify(other.slice(0, 3))}`)
  check(late.length === 0, `${name}: ${late.length} refused more than 2 s after it was back: ${JSON.stringify(late.slice(0, 3))}`)
  check(exited.length === 0, `${name}: ${exited.join(', ')} exited: ${linesOf(herald.output(), exited)}`)
  for (const [app, percent] of Object.entries(cpu)) check(percent < 10, `${name}: ${app} used ${percent} % of a core while it was away`)
  await checkSends(scene, tenant, [campaign], 0, `${name}.`)
}

async function freeze({ herald }: Platform): Promise<() => Promise<void>> {
  const pid = runningProcesses(herald.dataDir).get('postgres')
  if (pid === undefined) throw new Error('there is no Postgres')
  const pids = familyOf(pid)
  signalAll(pids, 'SIGSTOP')
  return async () => signalAll(pids, 'SIGCONT')
}

/**
 * Kills Postgres, and then every 100 ms the Postgres that the starter has started meanwhile. Gives a function that ends the killing and waits until
 * Postgres answers a query.
 */
async function keepKilling({ herald }: Platform): Promise<() => Promise<void>> {
  const kill = () => {
    const pid = runningProcesses(herald.dataDir).get('postgres')
    if (pid !== undefined) signalAll([pid], 'SIGKILL')
  }
  kill()
  const timer = setInterval(kill, 100)
  return async () => {
    clearInterval(timer)
    await until(() => onDatabase(herald, async (client) => (await client.query('select 1')).rowCount === 1), {
      withinMs: 30_000,
      what: 'Postgres is back',
    })
  }
}

/** Asks four data routes in turn, with two clients, and records for each answer when the request began and how long it took. */
function startAsking({ herald, tenant }: Platform) {
  const asked: Asked[] = []
  let goesOn = true
  const secret = { authorization: `Bearer ${tenant.secretKey}` }
  const unknown = 'a'.repeat(24)
  const routes = [
    ['POST', '/v1/notifications', secret, { target: { subscriptionIds: [unknown] }, silent: true }],
    ['POST', `/v1/subscriptions/${unknown}/session`, { 'x-app-key': tenant.publicKey }, {}],
    ['GET', '/v1/segments', secret, undefined],
    ['PATCH', '/v1/users/by-external-id/user-1', secret, { tags: { seen: true } }],
  ] as const
  const client = async () => {
    for (let turn = 0; goesOn; turn += 1) {
      const [method, path, headers, body] = routes[turn % routes.length] ?? routes[0]
      const at = performance.now()
      const answer = await http<{ error?: { code: string } } | undefined>(method, `${herald.baseUrl}${path}`, { headers, body }).catch(
        (error: Error) => error,
      )
      const [status, code] = answer instanceof Error ? [599, answer.message] : [answer.status, answer.body?.error?.code]
      asked.push({ at, ms: performance.now() - at, what: `${method} ${path}`, status, code })
      await sleep(200)
    }
  }
  const clients = [client(), client()]
  return {
    async stop() {
      goesOn = false
      await Promise.all(clients)
      return asked
    },
  }
}

function countBy<T>(all: readonly T[], nameOf: (one: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const one of all) counts[nameOf(one)] = (counts[nameOf(one)] ?? 0) + 1
  return counts
}

/**
 * Gives the lines that the starter printed about these processes. After each come the three lines that follow it, because the starter prints the end
 * of the process's log there.
 */
const linesOf = (output: string, names: string[]): string => {
  const lines = output.split('\n')
  return lines
    .flatMap((line, place) => (names.some((name) => line.startsWith(name)) ? [line, ...lines.slice(place + 1, place + 4)] : []))
    .join('\n')
}
