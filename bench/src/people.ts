// Measures how long it takes to find users and to export them: npm run bench:people -- --help
import { get, type IncomingMessage } from 'node:http'
import { makeManyDevices } from '@herald/testing/many-devices'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { cpuBetween, measureProcesses } from './processes.ts'

const help = `npm run bench:people -- [--devices 1000000] [--searches 200] [--keep]

Fills an app with --devices devices of a user each by SQL, and then asks through the whole platform, one request after another: --searches searches of each kind (a
user's id, a device's id, a rare and a common beginning of an external id, a segment, the newest, a token, a user's page), and the export of everybody, masked and with full
addresses. Prints how long the searches took, users a second of the exports, CPU a user by process, and how much memory gateway and audience had at the end of each export. --keep writes the
result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { devices: 1_000_000, searches: 200, keep: false })
const { devices: count, searches } = values

const herald = await startMeasuredHerald()
try {
  const tenant = await givenTenant(herald)
  const seconds = await makeManyDevices(herald.databaseUrl('audience'), { appId: tenant.appId, count })
  say(`${count} devices came in by SQL in ${seconds.toFixed(0)} s`)
  const found = await search(tenant)
  const masked = await exportAll(tenant, 'masked')
  const full = await exportAll(tenant, 'full')
  const result = { what: `search and export of ${count} users`, count, searches: found, exports: { masked, full } }
  if (values.keep) keep(`people-${count}`, result)
} finally {
  await herald.end()
}

/**
 * Makes each kind of search `--searches` times; searches for a user, a device or a rare beginning ask for another one each time. Gives the p50 and
 * p99 in ms.
 */
async function search(tenant: Tenant) {
  const { appId } = tenant
  const { rows } = await herald.database.query<{ user: string; device: string }>(
    'select user_id as user, id as device from audience.subscriptions where app_id = $1 order by md5(id) limit $2',
    [appId, searches],
  )
  const token = `searched-for-${appId}`
  await tenant.register({ id: '', platform: 'android', token }, { externalId: 'searched-for' })
  const definition = {
    and: [
      { field: 'tags.plan', op: 'eq', value: 'pro' },
      { field: 'country', op: 'eq', value: 'DE' },
    ],
  }
  const segment = await tenant.admin<{ id: string }>('POST', '/segments', { name: 'searched', definition })
  const kinds: Record<string, (n: number) => Promise<{ status: number }>> = {
    userId: (n) => tenant.admin('GET', `/users?q=${rows[n]?.user}`),
    deviceId: (n) => tenant.admin('GET', `/users?q=${rows[n]?.device}`),
    rarePrefix: (n) => tenant.admin('GET', `/users?q=customer-${1_000 + n * 7}`),
    commonPrefix: () => tenant.admin('GET', '/users?q=customer-'),
    segment: () => tenant.admin('GET', `/users?segmentId=${segment.body.id}`),
    newest: () => tenant.admin('GET', '/users'),
    token: () => tenant.admin('POST', '/users/search', { token }),
    person: (n) => tenant.admin('GET', `/users/${rows[n]?.user}`),
  }
  const found: Record<string, { p50: number; p99: number }> = {}
  for (const [kind, ask] of Object.entries(kinds)) {
    const ms: number[] = []
    for (let n = 0; n < searches; n += 1) {
      const startedAt = performance.now()
      const { status } = await ask(n)
      if (status !== 200) throw new Error(`void: ${kind} was answered ${status}`)
      ms.push(performance.now() - startedAt)
    }
    const sorted = ms.toSorted((one, other) => one - other)
    const at = (share: number) => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10
    found[kind] = { p50: at(0.5), p99: at(0.99) }
    say(`${kind.padEnd(14)}p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
  }
  return found
}

/** Exports all users, counts the lines and stores none. */
async function exportAll({ appId }: Tenant, addresses: 'masked' | 'full') {
  const before = measureProcesses(herald.dataDir)
  const memoryBefore = memory()
  const startedAt = performance.now()
  const url = `${herald.baseUrl}/v1/admin/apps/${appId}/users/export?addresses=${addresses}`
  let [lines, bytes, last] = [0, 0, '']
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${herald.adminToken}` } }, resolve).on('error', reject)
  })
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) lines += 1
    last = (last + chunk.toString('latin1')).slice(-100)
  }
  const seconds = (performance.now() - startedAt) / 1000
  const users = lines - 1
  if (!last.endsWith(`{"type":"end","count":${users}}\n`)) throw new Error(`void: the export was cut off after ${lines} lines`)
  if (users < count) throw new Error(`void: ${users} users of ${count} were exported`)
  const cpu = cpuBetween(before, measureProcesses(herald.dataDir), users * 1000)
  delete cpu['simulator']
  const result = {
    users,
    seconds,
    perSecond: Math.round(users / seconds),
    bytesEach: Math.round(bytes / users),
    cpuMsEach: cpu,
    memoryBefore,
    memory: memory(),
  }
  say(`${addresses}: ${result.perSecond} users/s, ${result.bytesEach} bytes each, ${JSON.stringify(result.memory)} MB at the end`)
  for (const [name, ms] of Object.entries(cpu)) say(`  ${name.padEnd(14)}${(ms * 1000).toFixed(0).padStart(6)} µs CPU each`)
  return result
}

/** Reads the memory of the services through which an export passes, now and at most, in MB. */
function memory() {
  return Object.fromEntries(
    measureProcesses(herald.dataDir)
      .filter(({ name }) => name === 'gateway' || name === 'audience')
      .map(({ name, rssMb, peakRssMb }) => [name, { rssMb, peakRssMb }]),
  )
}
