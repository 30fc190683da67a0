import { setTimeout as sleep } from 'node:timers/promises'
import { createCampaign, fanOutStarted, listCampaigns, sendCampaign } from '@herald/contracts/calls/campaigns'
import type { Campaign, Schedule } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import { fanOutWork } from '@herald/contracts/topology'
import { endChild } from '@herald/embedded/processes'
import type { Bus } from '@herald/service/bus'
import { until } from '@herald/testing/until'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { withServicesAlone, type ServicesAlone } from './services-alone.ts'

const help = `node bench/src/schedules.ts [--schedules 500] [--processes 5] [--kills 2] [--keep]

--schedules schedules, half of them a date and half a recurrence, are due in the same second. --processes processes of campaigns start them; --kills
of these are killed with -9 meanwhile. Measures from the due time to the pointer that audience hears. Void unless each has started exactly
once. --keep writes the result to bench/results/. Run it on a quiet machine; it waits for the next full minute.`

const values = readOptions(help, { schedules: 500, processes: 5, kills: 2, keep: false })
const { schedules: count, processes, kills } = values

await withServicesAlone(['campaigns'], async (alone) => {
  const result = await measure(alone)
  for (const [name, value] of Object.entries(result)) say(`${name.padEnd(28)}${JSON.stringify(value)}`)
  if (values.keep) keep('schedules', { what: 'schedules of one second, started by several processes', ...result })
})

async function measure({ openPeer, startService }: ServicesAlone) {
  const [gateway, audience] = [await openPeer('gateway'), await openPeer('audience')]
  /** When audience first got a pointer at each campaign, by the clock of this process, and how many pointers it got. */
  const heard = new Map<string, { at: number; times: number }>()
  // All messages are taken at once, because the speed of audience is not measured here.
  audience.consume(fanOutWork, { atOnce: count }, async ({ campaignId }) => {
    const { at, times } = heard.get(campaignId) ?? { at: Date.now(), times: 0 }
    heard.set(campaignId, { at, times: times + 1 })
    await audience.call(fanOutStarted, { campaignIds: [campaignId] })
  })
  const apps = await Promise.all(Array.from({ length: processes }, () => startService('campaigns')))

  // A recurrence is due at the beginning of a minute.
  const appId = newId()
  const dueAt = Math.ceil((Date.now() + 15_000) / 60_000) * 60_000
  const minute = new Date(dueAt).toISOString()
  const forms: Schedule[] = [
    { type: 'at', at: minute },
    { type: 'recurring', every: 'day', localTime: minute.slice(11, 16), timezone: 'UTC' },
  ]
  for (let made = 0; made < count; made += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - made) }, (_, n) => schedule(gateway, appId, forms[n % 2]!)))
  if (Date.now() >= dueAt) throw new Error('void: the schedules were not made in time')
  say(`${count} schedules are due at ${minute}`)

  for (const [index, app] of apps.slice(0, kills).entries()) {
    await until(() => heard.size > (index * count) / 5, { withinMs: 120_000, what: 'a start' })
    await endChild(app, 'SIGKILL', [])
  }
  await until(() => heard.size >= count, { withinMs: 60_000, what: 'every start' })
  // Waits for late pointers. When campaigns was killed after it began a run and before it published the pointer, the pointer comes within the time of
  // a lease. A pointer that comes later is a second start of the run.
  await sleep(5_000)

  const campaigns = await listAll(gateway, appId)
  const runs = campaigns.filter(({ recurringOf }) => recurringOf !== null)
  const started = campaigns.filter(({ status }) => status === 'sending')
  const parents = campaigns.filter(({ status }) => status === 'active')
  const isExact =
    started.length === count &&
    heard.size === count &&
    started.every(({ id }) => heard.has(id)) &&
    runs.length === parents.length &&
    new Set(runs.map(({ recurringOf }) => recurringOf)).size === runs.length
  if (!isExact)
    throw new Error(`void: ${started.length} started, ${heard.size} heard, ${runs.length} runs of ${parents.length} recurrences`)

  const lateMs = [...heard.values()].map(({ at }) => at - dueAt).toSorted((one, other) => one - other)
  const at = (share: number) => lateMs[Math.min(count - 1, Math.floor(count * share))]
  return {
    schedules: count,
    processes,
    kills,
    started: started.length,
    pointers: [...heard.values()].reduce((sum, { times }) => sum + times, 0),
    lateMs: { min: at(0), p50: at(0.5), p99: at(0.99), max: at(1) },
  }
}

async function schedule(gateway: Bus, appId: string, form: Schedule): Promise<void> {
  const content = { _default: 'en', en: { title: 'Bench', body: 'On time.' } }
  const campaign = { name: 'bench', content, schedule: form }
  const { id } = await gateway.call(createCampaign, { appId, idempotency: null, campaign })
  await gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
}

async function listAll(gateway: Bus, appId: string): Promise<Campaign[]> {
  const campaigns: Campaign[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await gateway.call(listCampaigns, { appId, limit: 200, ...(cursor ? { cursor } : {}) })
    campaigns.push(...page.items)
    cursor = page.nextCursor
  }
  return campaigns
}
