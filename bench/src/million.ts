// Measures one send to a million devices: npm run bench:million -- --help
import { setTimeout as sleep } from 'node:timers/promises'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { readOptions, say } from './options.ts'
import { aboutThisRun, keep } from './results.ts'
import { externalIdOf, fillDevices, makeDevices, registerDevices } from './crowd.ts'
import { readLedgerSize, readWal, untilSettled } from './database-use.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { cpuBetween, measureProcesses, memoryOf } from './processes.ts'
import { quantile } from './report.ts'
import { startPoster } from './start-poster.ts'

const help = `npm run bench:million -- [--devices 1000000] [--platform ios] [--keep]

One send to --devices devices (made by SQL) with one dispatcher. Each second the memory of every process but Postgres is read, and another app sends to one
device of its own. Prints how fast the first and the last tenth of the pushes went, what each process holds in the first and the last tenth, how long the prompt
sends took from the POST to the provider, and what verify says afterwards and how long it takes. A push too few or a copy voids the run.
--keep writes the result to bench/results/. A million devices need 3 GB of disk and some minutes. Run it on a quiet machine.`

const values = readOptions(help, { devices: 1_000_000, platform: 'ios', keep: false })
const { platform, devices: count } = values
if (platform !== 'ios' && platform !== 'android') throw new Error(`--platform ${platform} is neither ios nor android`)
/**
 * The bench makes at most this many small sends beside the large one, one each second. Each goes to a device of its own, so that its push can be
 * found among the pushes to a million devices.
 */
const mostPrompts = 900

type Sample = { at: number; rssMb: Record<string, number> }
type Sent = { device: Device; postedAt: number; id: string }

const now = () => performance.timeOrigin + performance.now()
const herald = await startMeasuredHerald()
const poster = startPoster()
try {
  const large = await givenTenant(herald)
  const prompt = await givenTenant(herald)
  const prompts = await makeDevices(prompt, platform, mostPrompts)
  await registerDevices(herald, prompt, poster, prompts)
  poster.stop()
  const filledIn = await fillDevices(herald.databaseUrl('audience'), large, { platform, count })
  say(`${count} devices made in ${filledIn.toFixed(0)} s`)
  for (const device of prompts.slice(0, 5)) await send(prompt, { externalIds: [externalIdOf(device)] })
  await until(async () => (await accepted(large)) === 5, { what: 'the sends to warm up' })

  const result = {
    what: `one send to ${count} ${platform} devices, one dispatcher`,
    ...aboutThisRun(),
    ...(await measure(large, prompt, prompts)),
  }
  say(JSON.stringify({ ...result, samples: undefined }, null, 2))
  if (values.keep) keep(`million-${platform}-${count}`, result)
} finally {
  poster.stop()
  await herald.end()
}

async function measure(large: Tenant, prompt: Tenant, devices: Device[]) {
  await large.simulator('POST', '/reset')
  await large.simulator('PUT', '/faults', { record: 'counts' })
  const [walBefore, ledgerBefore, before] = [
    await readWal(herald.database),
    await readLedgerSize(herald.database),
    measureProcesses(herald.dataDir),
  ]
  const pids = before.filter(({ name }) => name !== 'postgres')
  const postedAt = now()
  const campaignId = await send(large, { all: true })

  const samples: Sample[] = []
  const sent: Promise<Sent>[] = []
  let settledAt = 0
  const settled = async () => {
    await untilSettled(herald.database, campaignId, 3_600_000)
    settledAt = now()
  }
  const done = settled()
  // An error of `done` is thrown below, where `done` is awaited; without this line it would be an unhandled rejection.
  done.catch(() => (settledAt = now()))
  while (settledAt === 0) {
    samples.push({ at: now(), rssMb: Object.fromEntries(pids.map(({ name, pid }) => [name, memoryOf(pid).rssMb])) })
    const device = devices[sent.length]
    if (device) sent.push(sendPrompt(prompt, device))
    await sleep(1_000)
  }
  await done
  const posted = await Promise.all(sent)
  for (const { id } of posted) await untilSettled(herald.database, id, 60_000)
  const after = measureProcesses(herald.dataDir)

  const { accepted: total, distinctDevices } = await large.simulator<{ accepted: { total: number }; distinctDevices: number }>(
    'GET',
    '/summary?open=false',
  )
  const expected = count + posted.length
  if (total.total !== expected || distinctDevices !== expected)
    throw new Error(`void: ${expected} devices were asked, ${total.total} pushes came to ${distinctDevices} of them`)
  const times = await acceptedTimes(large, expected)
  const [begin, firstTenthEnd, lastTenthBegin, end] = times as [number, number, number, number]
  const promptMs = await Promise.all(posted.map(async ({ device, postedAt: at }) => (await acceptedAt(large, device)) - at))
  const verifyStartedAt = now()
  const { status, body: verification } = await large.admin<{ agrees: boolean }>('GET', `/campaigns/${campaignId}/verify`)
  const verifyMs = now() - verifyStartedAt
  if (status !== 200 || !verification.agrees) throw new Error(`void: verify was answered ${status} ${JSON.stringify(verification)}`)

  const cpu = cpuBetween(before, after, expected)
  return {
    seconds: (end - postedAt) / 1000,
    secondsToSettled: (settledAt - postedAt) / 1000,
    pushesPerSecond: count / ((end - postedAt) / 1000),
    firstTenthPerSecond: count / 10 / ((firstTenthEnd - begin) / 1000),
    lastTenthPerSecond: count / 10 / ((end - lastTenthBegin) / 1000),
    promptMs: { sends: promptMs.length, p50: quantile(promptMs, 0.5), p99: quantile(promptMs, 0.99), max: Math.max(...promptMs) },
    verify: { ms: verifyMs, ...verification },
    cpuMicrosecondsPerPush: cpu,
    walBytesPerPush: ((await readWal(herald.database)) - walBefore) / count,
    ledgerBytesPerPush: ((await readLedgerSize(herald.database)) - ledgerBefore) / count,
    rssMb: Object.fromEntries(
      after.map(({ name, peakRssMb }) => [
        name,
        {
          firstTenth: mostOf(samples, name, begin, firstTenthEnd),
          lastTenth: mostOf(samples, name, lastTenthBegin, end),
          peak: peakRssMb,
        },
      ]),
    ),
    // At most sixty samples, evenly spread.
    samples: samples.filter((_, index) => index % Math.ceil(samples.length / 60) === 0),
  }
}

async function sendPrompt(tenant: Tenant, device: Device): Promise<Sent> {
  const postedAt = now()
  return { device, postedAt, id: await send(tenant, { externalIds: [externalIdOf(device)] }) }
}

async function send(tenant: Tenant, target: object): Promise<string> {
  const { status, body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target,
    content: { _default: 'en', en: { title: 'Hello', body: 'This is a push notification of a usual size for the test' } },
  })
  if (status !== 202) throw new Error(`void: a send was answered ${status} ${JSON.stringify(body)}`)
  return body.id
}

async function accepted(tenant: Tenant): Promise<number> {
  return (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total
}

/** Gives the times at which the first push arrived, a tenth had arrived, the last tenth began, and the last push arrived. */
function acceptedTimes(tenant: Tenant, pushes: number): Promise<number[]> {
  return Promise.all(
    [1, Math.floor(pushes / 10), Math.ceil((pushes * 9) / 10), pushes].map(async (seq) => {
      const { pushes: page } = await tenant.simulator<{ pushes: { at: number }[] }>('GET', `/pushes?limit=1&after=${seq - 1}`)
      return page[0]?.at ?? Number.NaN
    }),
  )
}

async function acceptedAt(tenant: Tenant, { id }: Device): Promise<number> {
  const { pushes } = await tenant.simulator<{ pushes: { at: number }[] }>('GET', `/pushes?limit=1&deviceId=${id}`)
  return pushes[0]?.at ?? Number.NaN
}

/**
 * Gives the most memory, in MB, that the samples between two times show for a process. Null when there is no sample, and for Postgres, whose
 * processes change during the run.
 */
function mostOf(samples: Sample[], name: string, from: number, to: number): number | null {
  const held = samples.filter(({ at }) => at >= from && at <= to).flatMap(({ rssMb }) => rssMb[name] ?? [])
  return held.length > 0 ? Math.max(...held) : null
}
