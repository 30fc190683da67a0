// Measures how many conversions Herald counts and attributes: npm run bench:conversions -- --help
import { newId } from '@herald/contracts/ids'
import { givenTenant } from '@herald/testing/tenant'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { cpuBetween, measureProcesses } from './processes.ts'

const help = `npm run bench:conversions -- [--users 2000] [--campaigns 10] [--conversions 60000] [--inFlight 4] [--keep]

Sends --campaigns campaigns to --users users of one device, and reports --conversions conversions of these users in lists of 500, --inFlight lists at a time,
each with a value and of another user. All are attributed, since the campaigns were just sent. Prints conversions a second, the milliseconds of a list, and CPU by
process. --keep writes the result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { users: 2_000, campaigns: 10, conversions: 60_000, inFlight: 4, keep: false })
const { users, campaigns, conversions, inFlight } = values
const listSize = 500

const herald = await startMeasuredHerald()
try {
  const tenant = await givenTenant(herald)
  const devices = await tenant.makeDevices('ios', users)
  const unregistered = devices.map((device, place) => ({ device, externalId: `customer-${place}` }))
  const registering = async () => {
    for (let next = unregistered.pop(); next; next = unregistered.pop()) await tenant.register(next.device, { externalId: next.externalId })
  }
  await Promise.all(Array.from({ length: 16 }, registering))
  const { rows } = await herald.database.query<{ id: string }>('select id from audience.users where app_id = $1 order by id', [
    tenant.appId,
  ])
  const content = { _default: 'en', en: { title: 'News', body: 'Of today' } }
  for (let sent = 0; sent < campaigns; sent += 1) {
    const { body } = await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'News', content })
    await tenant.call('POST', `/v1/campaigns/${body.id}/send`)
    for (;;) {
      const stats = await tenant.call<{ status: string }>('GET', `/v1/campaigns/${body.id}/stats`)
      if (stats.body.status === 'sent') break
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  say(`${campaigns} campaigns to ${rows.length} users are sent`)

  const lists = Array.from({ length: Math.ceil(conversions / listSize) }, (_list, list) =>
    Array.from({ length: listSize }, (_one, place) => {
      const user = rows[(list * listSize + place) % rows.length]
      return { id: newId(), userId: user?.id ?? '', name: 'order', at: new Date().toISOString(), value: 12.5, currency: 'EUR' }
    }),
  )
  // The first lists are not measured: Node compiles the code, and Postgres reads what it reads only once.
  const warm = lists.splice(0, inFlight)
  await report(warm)
  const before = measureProcesses(herald.dataDir)
  const startedAt = performance.now()
  const ms = await report(lists)
  const seconds = (performance.now() - startedAt) / 1_000
  const count = lists.length * listSize
  const cpu = cpuBetween(before, measureProcesses(herald.dataDir), count * 1_000)
  delete cpu['simulator']
  const sorted = ms.toSorted((one, other) => one - other)
  const listMs = {
    p50: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
    p99: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
  }
  const perSecond = Math.round(count / seconds)
  say(`${count} conversions in ${seconds.toFixed(1)} s, ${perSecond}/s; a list of ${listSize}: p50 ${listMs.p50} ms, p99 ${listMs.p99} ms`)
  for (const [name, each] of Object.entries(cpu)) say(`  ${name.padEnd(14)}${(each * 1_000).toFixed(0).padStart(6)} µs CPU each`)
  const result = {
    what: `${count} conversions of ${users} users with ${campaigns} campaigns, ${inFlight} lists of ${listSize} at a time`,
    ...{ count, users, campaigns, perSecond, listMs, cpuMsEach: cpu },
  }
  if (values.keep) keep(`conversions-${count}`, result)

  /** Reports lists, `inFlight` at a time, and gives how long each took. Throws when one is not counted and attributed as a whole. */
  async function report(all: object[][]): Promise<number[]> {
    const left = [...all]
    const took: number[] = []
    const work = async () => {
      for (let events = left.shift(); events; events = left.shift()) {
        const at = performance.now()
        const { status, body } = await tenant.call<{ results: { status: string; attribution?: object }[] }>('POST', '/v1/conversions', {
          events,
        })
        took.push(performance.now() - at)
        const wrong = status === 200 ? body.results.find((one) => one.status !== 'counted' || !one.attribution) : body
        if (wrong) throw new Error(`void: ${status} ${JSON.stringify(wrong).slice(0, 300)}`)
      }
    }
    await Promise.all(Array.from({ length: inFlight }, work))
    return took
  }
} finally {
  await herald.end()
}
