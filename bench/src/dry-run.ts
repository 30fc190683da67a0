import { defaultSettings, type AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import { dryRun, previewSegment } from '@herald/contracts/calls/audience'
import { appChanged, readApp } from '@herald/contracts/calls/gateway'
import { newId } from '@herald/contracts/ids'
import { makeManyDevices } from '@herald/testing/many-devices'
import pg from 'pg'
import { readOptions, say } from './options.ts'
import { median } from './report.ts'
import { keep } from './results.ts'
import { withServicesAlone, type ServicesAlone } from './services-alone.ts'

const help = `node bench/src/dry-run.ts [--devices 1000000] [--rounds 5] [--keep]

Fills a Postgres of its own with an app's devices, starts audience as a process, and measures dry runs as the gateway sees them, each
beside a preview of the same segment. --keep writes the result to bench/results/. Run it on a quiet machine.`

const { devices, rounds, ...values } = readOptions(help, { devices: 1_000_000, rounds: 5, keep: false })

const leaf = (field: string, op: string, value: unknown) => ({ field, op, value })
const fiveLeaves = {
  and: [
    leaf('tags.plan', 'in', ['free', 'pro', 'team']),
    { or: [leaf('country', 'eq', 'DE'), leaf('sessionCount', 'gt', 2)] },
    { not: leaf('lastActiveAt', 'lt', '-90d') },
    leaf('tags.orders', 'gte', 1),
  ],
}
const entry = { title: 'Hello {{ tags.name }}', body: 'World' }
const content = { _default: 'en', en: entry, de: entry, pt: entry }
const capped: Partial<AppSettings> = { frequencyCap: { max: 2, windowSeconds: 86_400 } }
const variants = ['a', 'b', 'c'].map((id) => ({ id, weight: 1, content }))

const measured: { what: string; segment: unknown; send?: Partial<FrozenSend>; settings?: Partial<AppSettings> }[] = [
  { what: 'everyone', segment: {} },
  { what: 'five leaves', segment: fiveLeaves },
  { what: 'five leaves and a frequency cap that half of the users have used up', segment: fiveLeaves, settings: capped },
  { what: 'five leaves, an experiment of three variants', segment: fiveLeaves, send: { experiment: { sampleRate: 0.5, variants } } },
  {
    what: 'five leaves, at each user’s local time, under the cap',
    segment: fiveLeaves,
    settings: capped,
    send: { userTimezone: { localTime: '09:00', after: new Date().toISOString() } },
  },
  { what: 'one in a million', segment: leaf('tags.winner', 'eq', true) },
]

await withServicesAlone(['audience'], measure)

async function measure({ databaseUrl, openPeer, startService }: ServicesAlone): Promise<void> {
  const appId = newId()
  const seconds = await makeManyDevices(databaseUrl('audience'), { appId, count: devices })
  await makeClaims(databaseUrl('audience'), appId)
  say(`made ${devices} devices in ${seconds.toFixed(0)} s`)
  let settings = defaultSettings
  const gateway = await openPeer('gateway')
  gateway.answer(readApp, async () => ({ app: { id: appId, name: 'bench', settings, createdAt: new Date().toISOString() } }))
  await startService('audience')

  const results = []
  for (const { what, segment, send = {}, settings: changed = {} } of measured) {
    settings = { ...defaultSettings, ...changed }
    gateway.broadcast(appChanged, { appId })
    const previews: number[] = []
    const times: number[] = []
    let counted = ''
    for (let round = 0; round < rounds; round += 1) {
      previews.push(await timeOf(() => gateway.call(previewSegment, { appId, segment })))
      times.push(
        await timeOf(async () => {
          const asked = { appId, send: { ...sendOf(appId), ...send }, target: { kind: 'segment' as const, segment }, startsAt: null }
          const { audience, skips, waves, samples } = await gateway.call(dryRun, { ...asked, samples: { random: 5, seed: String(round) } })
          const skipped = skips.map((skip) => `${skip.devices} ${skip.reason}`).join(', ')
          counted = `${audience.users} users, ${waves.length} waves, ${samples.length} samples${skipped === '' ? '' : `, ${skipped}`}`
        }),
      )
    }
    const result = {
      what,
      counted,
      medianMs: Math.round(median(times)),
      worstMs: Math.round(Math.max(...times)),
      previewMs: Math.round(median(previews)),
    }
    results.push(result)
    say(`${what}: ${counted}; dry run median ${result.medianMs} ms, worst ${result.worstMs} ms; preview ${result.previewMs} ms`)
  }
  if (values.keep) keep(`dry-run-${devices}`, { what: `dry runs over ${devices} devices of an app`, results })
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Writes claims that say that every user had a campaign today, and every second user two. */
async function makeClaims(databaseUrl: string, appId: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `insert into cap_claims (app_id, user_id, campaign_id, expires_at)
       select app_id, id, 'campaign-' || n, now() + interval '1 day'
       from (select app_id, id, row_number() over (order by id) as place from users where app_id = $1) as users cross join generate_series(1, 2) as n
       where n = 1 or place % 2 = 0`,
      [appId],
    )
    await client.query('vacuum (analyze) cap_claims')
  } finally {
    await client.end()
  }
}

function sendOf(appId: string): FrozenSend {
  return {
    campaignId: '0'.repeat(24),
    appId,
    name: 'bench',
    transactional: false,
    content,
    silent: false,
    data: {},
    ttl: 3600,
    collapseId: null,
    priority: 'high',
    presentation: null,
    bypass: {},
  }
}
