// Measures how long small sends of one app wait while another app has large ones under way, and the most memory that each process takes: node
// bench/src/fairness.ts --help
import { setTimeout as sleep } from 'node:timers/promises'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { readOptions, say } from './options.ts'
import { aboutThisRun, keep } from './results.ts'
import { fillDevices } from './crowd.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { measureProcesses } from './processes.ts'
import { median } from './report.ts'

const help = `node bench/src/fairness.ts [--devices 1000000] [--sends 12] [--keep]

An app with --devices Android devices sends to all of them, once and then ten times at once; meanwhile another app sends to its 100 devices --sends
times, each time 2 s after the send before has its outcomes. Measures from the POST until all 100 have their outcome (the promise: at most 5 s more than alone), and the memory of every process.
--keep writes the result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { devices: 1_000_000, sends: 12, keep: false })
const { devices: count, sends } = values
const smallSize = 100

const herald = await startMeasuredHerald()
try {
  const large = await givenTenant(herald)
  const small = await givenTenant(herald)
  await large.simulator('PUT', '/faults', { record: 'counts' })
  const filledIn = await fillDevices(herald.databaseUrl('audience'), large, { platform: 'android', count })
  say(`${count} devices made in ${filledIn.toFixed(0)} s`)
  for (const device of await small.makeDevices('android', smallSize)) await small.register(device)

  const alone = await smallSends(small)
  const one = await beside(large, 1, () => smallSends(small))
  const ten = await beside(large, 9, () => smallSends(small))
  const peakRssMb = Object.fromEntries(measureProcesses(herald.dataDir).map(({ name, peakRssMb: peak }) => [name, peak]))
  const result = {
    what: `a send to ${smallSize} devices beside sends to ${count}`,
    ...aboutThisRun(),
    seconds: { alone: figures(alone), besideOne: figures(one), besideTen: figures(ten) },
    peakRssMb,
  }
  say(JSON.stringify(result, null, 2))
  if (values.keep) keep(`fairness-${count}`, result)
} finally {
  await herald.end()
}

/** Does work while large sends are under way. The work begins after the first pushes of the large sends, and nothing waits for their end. */
async function beside(large: Tenant, howMany: number, work: () => Promise<number[]>): Promise<number[]> {
  const before = await accepted(large)
  for (let send = 0; send < howMany; send += 1) await post(large)
  await until(async () => (await accepted(large)) > before + 1_000, { withinMs: 60_000, what: 'large sends under way' })
  const seconds = await work()
  say(`beside ${howMany === 1 ? 'one' : 'ten'} large: ${JSON.stringify(figures(seconds))}, ${await accepted(large)} pushes of them out`)
  return seconds
}

async function accepted(tenant: Tenant): Promise<number> {
  return (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total
}

/** Makes small sends one after the other. Gives the seconds of each, from the POST until every push has its outcome. */
async function smallSends(tenant: Tenant): Promise<number[]> {
  const seconds: number[] = []
  for (let send = 0; send < sends; send += 1) {
    const startedAt = performance.now()
    const id = await post(tenant)
    await until(
      async () => {
        const { body } = await tenant.call<{ stats: { sent: number } }>('GET', `/v1/campaigns/${id}/stats`)
        return body.stats.sent === smallSize
      },
      { withinMs: 60_000, what: 'the small send' },
    )
    seconds.push((performance.now() - startedAt) / 1000)
    await sleep(2_000)
  }
  return seconds
}

async function post(tenant: Tenant): Promise<string> {
  const { status, body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { all: true },
    content: { _default: 'en', en: { title: 'Hello', body: 'A push of the usual size for a measurement.' } },
  })
  if (status !== 202) throw new Error(`answered ${status}`)
  return body.id
}

function figures(seconds: number[]) {
  const round = (value: number) => Math.round(value * 1000) / 1000
  return { median: round(median(seconds)), longest: round(Math.max(...seconds)), sends: seconds.length }
}
