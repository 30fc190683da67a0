// `npm run test:upgrade`: an installation of the last release is migrated to this version under load. Then its processes are replaced one by one, back
// again, and forward in the other order, so that every service of one version works with every service of the other.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { natsAuthorization } from '@herald/contracts/grants'
import { emptyDataDir, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { ownersOf } from '@herald/tools/apps'
import { prepareDatabase } from '@herald/tools/database'
import { buildPages, serviceBuild, servicesDirectory } from '@herald/tools/pages'
import { readSecrets } from '@herald/tools/secrets'
import { root } from '@herald/tools/workspace'
import { givenCrowd } from '../chaos/crowd.ts'
import { keepResult } from '../chaos/keep.ts'
import { ownerUrlOf } from '../chaos/platform.ts'
import { readyPid, runningProcesses, signalAll } from '../chaos/processes.ts'
import { play, type Scene } from '../chaos/scenario.ts'
import { textOf } from '../tests/campaigns.ts'
import { checkSends, send, untilAllSettled } from '../chaos/sends.ts'
import type { Campaign } from '../chaos/scenario-result.ts'
import { lastRelease, layOut } from './release.ts'

/** In the order of docs/operations.md. */
const services = ['tracker', 'webhooks', 'audience', 'campaigns', 'dispatcher', 'gateway']
const instances = 2
const reloading = 'NATS reads its users'
/** A send and a registration, which `openLoad` keeps under way. */
const underWay = 2

const { values } = parseArgs({
  options: {
    release: { type: 'string' },
    devices: { type: 'string', default: '3000' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run test:upgrade -- [--release <directory>] [--devices 3000] [--keep]

Lays out the last release (docs/releases.json) with its own packages, in <directory> or in the temporary directory, and upgrades it under load.
Some five minutes. Exits 1 when a promise was broken; --keep writes bench/results/upgrade-*.json.`)
  process.exit(0)
}
const release = lastRelease()
const older = layOut(release, values.release)
if ((await buildPages([serviceBuild], { print: console.log })).length > 0) process.exit(1)
const promise = `an upgrade from ${release.version} and back loses no send, doubles none and refuses none`
console.log(promise)
const { good, ...result } = await play({ promise, run }, { devices: Number(values.devices), say: (line) => console.log(line) })
if (values.keep) console.log(`kept in ${keepResult('upgrade', { from: `${release.version} (${release.commit})`, ...result })}`)
console.log(`\nupgrade: ${good ? 'all good' : `BAD: ${result.wrong.join('; ')}`}, ${result.seconds} s`)
process.exit(good ? 0 : 1)

async function run(scene: Scene): Promise<void> {
  const dataDir = emptyDataDir()
  const list = join(dataDir, 'of-this-version.json')
  writeFileSync(list, '[]')
  const herald = await startHerald({
    dataDir,
    directory: older,
    env: {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'other-programs.ts')}`,
      OTHER_SERVICES: list,
      OTHER_PROGRAMS: join(root, servicesDirectory),
      HERALD_INSTANCES: services.map((name) => `${name}=${instances}`).join(','),
      LOG_LEVEL: 'info',
    },
  })
  try {
    await upgrade(scene, herald, list)
  } finally {
    // Answers that were under way when NATS read its users again were refused, which `stop` reports.
    await herald.stop().catch((error: unknown) => scene.check(String(error).includes('lacks a right'), String(error)))
    removeDataDir(dataDir)
  }
}

/**
 * The lines in which services say that NATS refused them something, since an instant (ISO). Answers to calls that were asked before are left out: NATS
 * forgets whom they may go to when it reads its users.
 */
function findRefusedSince({ dataDir }: Herald, since: string): string[] {
  return readdirSync(join(dataDir, 'logs'))
    .flatMap((name) => readFileSync(join(dataDir, 'logs', name), 'utf8').split('\n'))
    .filter((line) => line.includes('NATS does not allow this') && (/"time":"([^"]+)"/.exec(line)?.[1] ?? since) >= since)
    .filter((line) => !line.includes('"subject":"_INBOX.'))
}

async function upgrade(scene: Scene, herald: Herald, list: string): Promise<void> {
  const { say, note, check } = scene
  const tenant = await givenTenant(herald)
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000, latencyMs: 20 })
  const devices = await givenCrowd({ herald, tenant }, scene.devices)
  const newcomers = await givenTenant(herald)
  const campaigns: Campaign[] = []
  const load = openLoad(tenant, newcomers, devices)
  /** A draft that the release made, which this version sends. */
  const draft = await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'Draft', content: textOf('Draft') })
  const large = async (title: string) => {
    campaigns.push(await send(tenant, title, devices, undefined, (status) => load.note('a large send', status)))
  }

  load.phase('the release alone')
  await large('before')
  load.phase('migrating')
  const startedAt = performance.now()
  await prepareDatabase(ownersOf(ownerUrlOf(herald), {}), readSecrets(herald.dataDir, {}).passwords)
  note({ migrateSeconds: Math.round(performance.now() - startedAt) / 1_000 })
  await large('migrated')
  load.phase(reloading)
  await grantInNats(herald)
  // What was under way is answered or refused before the next post begins.
  await load.goesOn()
  const reloadedAt = new Date().toISOString()

  const replaceAll = async (order: readonly string[], toThis: boolean) => {
    for (const service of order) {
      const others = new Set(JSON.parse(readFileSync(list, 'utf8')) as string[])
      if (toThis) others.add(service)
      else others.delete(service)
      writeFileSync(list, JSON.stringify([...others]))
      for (let no = 1; no <= instances; no += 1) {
        load.phase(`${toThis ? 'to this version' : 'back'}: ${service}-${no}`)
        await replace(herald, `${service}-${no}`)
        if (no < instances || service === 'gateway') await large(`${toThis ? 'to' : 'back'} ${order.indexOf('gateway')} ${service} ${no}`)
      }
    }
    say(`  ${toThis ? 'to this version' : 'back'}, in the order ${order.join(', ')}`)
  }
  await replaceAll(services, true)
  const sent = await tenant.call<{ id: string }>('POST', `/v1/campaigns/${draft.body.id}/send`)
  check(sent.status === 202, `the release's draft was answered ${sent.status} by this version`)
  campaigns.push({ ...campaigns[0]!, id: draft.body.id, status: 'sending' })
  load.phase('this version alone')
  await sleep(2_000)
  await replaceAll(services.toReversed(), false)
  load.phase('the release on the new tables')
  await large('back again')
  await sleep(2_000)
  await replaceAll(services.toReversed(), true)
  const { small, registered, answers } = await load.stop()

  const all = [...campaigns, ...small]
  note({ settledInSeconds: await untilAllSettled(tenant, all), smallSends: small.length, registered: registered.length })
  note({ answers })
  const refused = Object.entries(answers).filter(([what]) => !/ 20[02]$/.test(what))
  const atReload = refused.filter(([what]) => what.startsWith(reloading))
  check(refused.length === atReload.length, `not all were accepted: ${JSON.stringify(Object.fromEntries(refused))}`)
  const refusals = atReload.reduce((sum, [, count]) => sum + count, 0)
  check(refusals <= underWay, `${refusals} posts were refused when NATS read its users, and ${underWay} were under way`)
  const lacked = findRefusedSince(herald, reloadedAt)
  check(lacked.length === 0, `services lack rights: ${lacked.join(' ').slice(0, 1_000)}`)
  await checkSends(scene, tenant, all, 0)
  const toAll = [await send(newcomers, 'welcome', registered)]
  await untilAllSettled(newcomers, toAll)
  await checkSends(scene, newcomers, toAll, 0, 'newcomers.')
}

/** Stops a process as an operator does. Its starter starts it again, in the version that the list says by now. */
async function replace({ dataDir }: Herald, name: string): Promise<void> {
  const before = await until(() => readyPid(dataDir, name), { withinMs: 30_000, what: `${name} is ready` })
  signalAll([before], 'SIGTERM')
  await until(
    () => {
      const pid = readyPid(dataDir, name)
      return pid !== undefined && pid !== before
    },
    { withinMs: 60_000, what: `a new ${name} is ready` },
  )
}

/** Gives the services the rights of this version, as docs/operations.md says: the file of the users is written again, and nats-server reads it. */
async function grantInNats({ dataDir }: Herald): Promise<void> {
  const file = join(dataDir, 'nats', 'nats-server.conf')
  const text = readFileSync(file, 'utf8')
  const server = text.slice(0, text.indexOf('\n', text.indexOf('jetstream {')))
  writeFileSync(file, `${server}\n${natsAuthorization(readSecrets(dataDir, {}).natsPasswords)}\n`)
  const log = join(dataDir, 'logs', 'nats-server.log')
  const reloads = () => readFileSync(log, 'utf8').split('Reloaded server configuration').length
  const before = reloads()
  signalAll([runningProcesses(dataDir).get('nats-server') ?? 0], 'SIGHUP')
  await until(() => reloads() > before, { withinMs: 10_000, what: 'nats-server has read its configuration again' })
}

/** Sends to one device after another and registers new devices, one of each at a time, until it is stopped. Counts all answers by phase. */
function openLoad(tenant: Tenant, newcomers: Tenant, devices: readonly { id: string; subscriptionId: string }[]) {
  const answers: Record<string, number> = {}
  const stopping = new AbortController()
  let phase = 'start'
  const count = (what: string, status: number) => {
    const name = status < 300 ? `${what} ${status}` : `${phase}: ${what} ${status}`
    answers[name] = (answers[name] ?? 0) + 1
  }
  const small: Campaign[] = []
  const registered: { id: string }[] = []
  const posting = async () => {
    for (let no = 0; !stopping.signal.aborted; no += 1) {
      const device = devices[no % devices.length]!
      const body = { target: { subscriptionIds: [device.subscriptionId] } }
      small.push(await send(tenant, `small ${no}`, [device], body, (status) => count('a send', status)))
      count('a send', 202)
      await sleep(50)
    }
  }
  const registering = async () => {
    const waiting = await newcomers.makeDevices('android', 5_000)
    for (let no = 0; !stopping.signal.aborted && no < waiting.length; no += 1) {
      const device = waiting[no]!
      const register = () =>
        newcomers.register(device).catch((error: unknown) => {
          count('a registration', Number(/got (\d+)/.exec(String(error))?.[1] ?? 0))
          throw error
        })
      await until(register, { withinMs: 60_000, what: 'a registration' })
      registered.push({ id: device.id })
      count('a registration', 200)
      await sleep(50)
    }
  }
  const work = Promise.all([posting(), registering()])
  work.catch(() => undefined) // `stop` throws the error
  return {
    phase: (name: string) => {
      phase = name
      console.log(`  ${name}`)
    },
    note: count,
    /** Resolves when a send and a registration that begin from now on have been accepted. */
    async goesOn() {
      const [sends, registrations] = [small.length + 2, registered.length + 2]
      await until(() => small.length >= sends && registered.length >= registrations, { withinMs: 60_000, what: 'further answers' })
    },
    async stop() {
      stopping.abort()
      await work
      return { small, registered, answers }
    },
  }
}
