import { freePort } from '@herald/embedded/free-port'
import { http, simulatorToken, type Herald } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { givenCrowd } from '../chaos/crowd.ts'
import type { Scenario, Scene } from '../chaos/scenario.ts'
import { checkSends, send, untilAllSettled } from '../chaos/sends.ts'
import { compose as composeOf, composeEnvironment, project, run } from '../compose/compose.ts'
import { pause, seenByClients, seconds, standstillOf, startPosting, window } from './posting.ts'

const compose = (...args: string[]) => composeOf(args, { stack: 'cluster', quiet: true })

/**
 * What dies, and what is allowed then. `refusedForSeconds`: for how long posts may be refused; Patroni replaces an unreachable server after its `ttl`
 * of 20 s. `copies`: only a dispatcher's death makes any.
 */
type Fault = { name: string; make: () => Promise<unknown>; mend: () => Promise<unknown>; refusedForSeconds: number; copies: number }

const nothing = () => Promise.resolve()
const network = `${project}_default`
const containerOf = async (service: string) => (await compose('ps', '-q', service)).split('\n')[0] ?? ''
const other = (server: string) => (server === 'postgres-1' ? 'postgres-2' : 'postgres-1')
const patronictl = (...args: string[]) =>
  compose('exec', '-T', 'postgres-1', 'patronictl', '-c', '/etc/patroni/patroni.yml', ...args).catch(() =>
    compose('exec', '-T', 'postgres-2', 'patronictl', '-c', '/etc/patroni/patroni.yml', ...args),
  )
type Member = { Member: string; Role: string; State: string }
const members = async () => JSON.parse(await patronictl('list', '-f', 'json')) as Member[]
const primary = () =>
  until(async () => (await members()).find(({ Role }) => Role === 'Leader')?.Member, { withinMs: 60_000, what: 'a primary' })
/** Waits until both servers are there again and one is the synchronous standby of the other. */
const untilWhole = () =>
  until(async () => (await members()).some(({ Role }) => Role === 'Sync Standby'), { withinMs: 180_000, what: 'a synchronous standby' })
const killed = (service: string, refusedForSeconds: number): Fault => ({
  name: `${service} killed`,
  make: () => compose('kill', service),
  mend: () => compose('up', '-d', '--no-build', service),
  refusedForSeconds,
  copies: 0,
})
/** Kills one of the two containers of a service. */
const oneKilled = (service: string, refusedForSeconds: number, copies = 0): Fault => ({
  ...killed(service, refusedForSeconds),
  name: `one ${service} killed`,
  make: async () => run('docker', ['kill', await containerOf(service)], { quiet: true }),
  copies,
})

export const composeScenario: Scenario = {
  promise:
    'docker-compose.cluster.yml, each part killed in the middle of a send: a switchover, the primary killed, then cut off from the network, a NATS server, an etcd, a gateway, a dispatcher: nothing is lost, only a dead dispatcher makes copies, and posts are refused no longer than Patroni needs.',
  async run(scene) {
    const [port, simulatorPort] = [await freePort(), await freePort()]
    Object.assign(composeEnvironment, {
      COMPOSE_PROFILES: 'simulator',
      PORT: String(port),
      SIMULATOR_PORT: String(simulatorPort),
      SIMULATOR_CONTROL_TOKEN: simulatorToken,
      ...Object.fromEntries(['SUBSCRIBE', 'IDENTITY', 'SEND', 'EVENT', 'DEVICE', 'API'].map((kind) => [`${kind}_RATE_LIMIT`, '0'])),
    })
    await run('docker', ['compose', 'version'], { quiet: true })
    try {
      const startedAt = performance.now()
      await compose('up', '-d', '--build', '--wait', '--quiet-pull')
      scene.note({ healthyAfter: seconds(performance.now() - startedAt) })
      const adminToken = (await compose('exec', '-T', 'gateway', 'cat', '/run/secrets/ADMIN_TOKEN')).trim()
      await play(scene, {
        ...{ baseUrl: `http://127.0.0.1:${port}`, adminToken, simulator: `http://127.0.0.1:${simulatorPort}`, dataDir: '' },
        output: () => '',
        stop: () => Promise.resolve(0),
        get starter(): never {
          throw new Error('containers have no starter')
        },
      })
    } catch (error) {
      scene.say(await compose('ps', '-a').catch(String))
      scene.say(await compose('logs', '--no-color', '--tail', '15').catch(String))
      throw error
    } finally {
      await compose('down', '-v', '--remove-orphans', '--timeout', '15').catch(() => scene.say('the stack could not be taken down'))
    }
  },
}

async function play(scene: Scene, herald: Herald): Promise<void> {
  const { note, check, say } = scene
  const tenant = await givenTenant(herald)
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000, latencyMs: 100 })
  const devices = await givenCrowd({ herald, tenant }, Math.min(scene.devices, 6_000), 'http://door:8080')
  const system = await http<{ standby: string }>('GET', `${herald.baseUrl}/v1/admin/system`, {
    headers: { authorization: `Bearer ${herald.adminToken}` },
  })
  note({ standby: system.body.standby })
  check(system.body.standby === 'synchronous', `the standby is ${system.body.standby}`)

  const first = await primary()
  const faults: Fault[] = [
    {
      name: 'switchover',
      make: () => patronictl('switchover', 'herald', '--leader', first, '--candidate', other(first), '--force'),
      mend: nothing,
      refusedForSeconds: 15,
      copies: 0,
    },
    killed(other(first), 30),
    {
      name: `${first} cut off from the network`,
      make: async () => run('docker', ['network', 'disconnect', network, await containerOf(first)], { quiet: true }),
      mend: async () => run('docker', ['network', 'connect', '--alias', first, network, await containerOf(first)], { quiet: true }),
      refusedForSeconds: 40,
      copies: 0,
    },
    killed('nats', 2),
    killed('etcd-1', 0),
    oneKilled('gateway', 3),
    oneKilled('dispatcher', 0, window),
  ]
  for (const [no, fault] of faults.entries()) {
    await untilWhole()
    await tenant.simulator('POST', '/reset')
    await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000, latencyMs: 100 })
    const large = await send(tenant, `large-${no}`, devices)
    const posting = startPosting({ herald, tenant }, devices, 5, `of-${no}`)
    try {
      await pause(1_500)
      const since = Date.now()
      say(`  ${fault.name}`)
      await fault.make()
      await pause((fault.refusedForSeconds + 5) * 1_000)
      await fault.mend()
      await posting.stop()
      const campaigns = [large, ...posting.accepted]
      await untilAllSettled(tenant, campaigns)
      const seen = seenByClients(posting.attempts, since)
      note({ [fault.name]: { ...seen, largeStoodStillFor: await standstillOf({ herald, tenant }, large, since) } })
      check(seen.refusedForSeconds <= fault.refusedForSeconds, `${fault.name}: posts were refused for ${seen.refusedForSeconds} s`)
      await checkSends(scene, tenant, campaigns, fault.copies, `${fault.name}: `)
    } finally {
      await posting.stop()
    }
  }
}
