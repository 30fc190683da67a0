import { defaultSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import { finishBatch, previewSegment, takeBatch } from '@herald/contracts/calls/audience'
import { fanOutStarted, readSend, type FrozenTarget } from '@herald/contracts/calls/campaigns'
import { readApp } from '@herald/contracts/calls/gateway'
import { readNotified, reportQueued } from '@herald/contracts/calls/tracker'
import { Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { recipientsOf } from '@herald/contracts/recipient'
import { parseSegment } from '@herald/contracts/segment'
import { fanOutWork, pushWork } from '@herald/contracts/topology'
import { makeManyDevices } from '@herald/testing/many-devices'
import { until } from '@herald/testing/until'
import pg from 'pg'
import { readOptions, say } from './options.ts'
import { median } from './report.ts'
import { keep } from './results.ts'
import { withServicesAlone, type ServicesAlone } from './services-alone.ts'

const help = `node bench/src/preview.ts [--devices 1000000] [--rounds 7] [--dearest] [--keep]

Fills a Postgres of its own with an app's devices, starts audience as a process, and measures the preview of segments and the
pages of fan-outs, as callers see them. --dearest: the dearest segments that are accepted, over data that is dear to look at: what a
segment may cost (libs/contracts/src/segment-cost.ts) is chosen by these figures. --keep writes the result to bench/results/. Run it on a quiet machine.`

const { devices, rounds, ...values } = readOptions(help, { devices: 1_000_000, rounds: 7, dearest: false, keep: false })

const leaf = (field: string, op: string, value: unknown) => ({ field, op, value })
const previews: { what: string; segment: unknown }[] = [
  { what: 'everyone', segment: null },
  { what: 'a tag equality, one in five', segment: leaf('tags.plan', 'eq', 'pro') },
  { what: 'a tag equality, one in a thousand', segment: leaf('tags.city', 'eq', 'city-7') },
  { what: 'a tag equality, one in a million', segment: leaf('tags.winner', 'eq', true) },
  { what: 'a relative date', segment: leaf('lastActiveAt', 'gte', '-14d') },
  {
    what: 'and/or/not of five leaves',
    segment: {
      and: [
        leaf('tags.plan', 'in', ['pro', 'team']),
        { or: [leaf('country', 'eq', 'DE'), leaf('sessionCount', 'gt', 20)] },
        { not: leaf('lastActiveAt', 'lt', '-30d') },
        leaf('tags.orders', 'gte', 10),
      ],
    },
  },
  {
    what: 'and/or/not of five leaves, one a version',
    segment: {
      and: [
        { or: [leaf('appVersion', 'gte', '10.2'), leaf('tags.newsletter', 'eq', true)] },
        { not: { or: [leaf('language', 'startsWith', 'pt'), leaf('user.createdAt', 'lt', '-600d')] } },
        leaf('tags.score', 'gt', 20),
      ],
    },
  },
]
const fanOuts: { what: string; segment: unknown }[] = [
  { what: 'one match in a million', segment: leaf('tags.winner', 'eq', true) },
  {
    what: 'one match in a hundred',
    segment: leaf(
      'tags.city',
      'in',
      Array.from({ length: 10 }, (_, place) => `city-${place}`),
    ),
  },
]

/** Makes the largest segment that Herald accepts, of conditions that never match, so that each condition is computed for every device. */
function dearest(leafOf: (place: number) => unknown): unknown {
  const groups: unknown[][] = []
  for (let place = 0; place < 100; place += 1) {
    const more = groups.map((group) => [...group])
    if (place % 50 === 0) more.push([])
    more.at(-1)?.push(leafOf(place))
    if (!parseSegment({ or: more.map((or) => ({ or })) }, '').ok) break
    groups.splice(0, groups.length, ...more)
  }
  return { or: groups.map((or) => ({ or })) }
}
const listed = (of: (place: number) => string) => Array.from({ length: 500 }, (_, place) => of(place))
const versionFields = ['appVersion', 'sdkVersion', 'osVersion'] as const
const dearestOnes: { what: string; segment: unknown }[] = [
  { what: 'versions of three fields', segment: dearest((n) => leaf(versionFields[n % 3] ?? 'appVersion', 'gt', `900.${n}`)) },
  {
    what: 'lists of 500 versions',
    segment: dearest((n) =>
      leaf(
        'appVersion',
        'in',
        listed((place) => `900.${n}.${place}`),
      ),
    ),
  },
  {
    what: 'lists of 500 texts',
    segment: dearest((n) =>
      leaf(
        'externalId',
        'in',
        listed((place) => `nobody-${n}-${place}`),
      ),
    ),
  },
  { what: 'tags that are equal', segment: dearest((n) => leaf('tags.plan', 'eq', `plan-${n}`)) },
  { what: 'equal tags of many names', segment: dearest((n) => leaf(`tags.more-${n % 30}-${n}`, 'eq', 'x')) },
  { what: 'tags of many names in an order', segment: dearest((n) => leaf(`tags.more-${n}`, 'gt', 'z')) },
  { what: 'tags in an order', segment: dearest((n) => leaf('tags.score', 'gt', 100_000 + n)) },
  {
    what: 'lists of 500 tags',
    segment: dearest((n) =>
      leaf(
        'tags.city',
        'in',
        listed((place) => `nowhere-${n}-${place}`),
      ),
    ),
  },
  { what: 'dates', segment: dearest((n) => leaf('lastNotifiedAt', 'lt', `2001-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`)) },
  { what: 'beginnings of texts', segment: dearest((n) => leaf('externalId', 'startsWith', `nobody-${n}`)) },
]

/**
 * Makes the data expensive to read: versions that all differ and have many parts, twenty-five different tags for each user, and a time of the last
 * notification for every device.
 */
async function makeDear(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`update subscriptions s set app_version = '10.' || n || '.0-beta', sdk_version = 'v3.' || n || '.1-x', os_version = '17.4.' || n || '-y'
      from (select id, row_number() over () as n from subscriptions) numbered where numbered.id = s.id`)
    await client.query(`update users u set tags = u.tags || (select jsonb_object_agg('more-' || i, 'some text of ' || n || '.' || i) from generate_series(1, 20) as i)
      from (select id, row_number() over () as n from users) numbered where numbered.id = u.id`)
    await client.query(`insert into last_notified select id, now() - interval '1 day' from subscriptions`)
    for (const table of ['users', 'subscriptions', 'last_notified']) await client.query(`vacuum (analyze) ${table}`)
  } finally {
    await client.end()
  }
}

await withServicesAlone(['audience'], measure)

async function measure({ databaseUrl, openPeer, startService }: ServicesAlone): Promise<void> {
  const appId = newId()
  const seconds = await makeManyDevices(databaseUrl('audience'), { appId, count: devices })
  if (values.dearest) await makeDear(databaseUrl('audience'))
  say(`made ${devices} devices in ${seconds.toFixed(0)} s`)
  const peers = await playPeers(openPeer, appId)
  await startService('audience')

  const counted = []
  for (const { what, segment } of values.dearest ? dearestOnes : previews) {
    const times: number[] = []
    let count: number | undefined
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now()
      count = await countOrEnded(() => peers.gateway.call(previewSegment, { appId, segment }))
      times.push(performance.now() - startedAt)
      if (count === undefined) break
    }
    if (count === undefined) process.exitCode = 1
    counted.push({
      what,
      count: count ?? 'ended at its time limit',
      medianMs: Math.round(median(times)),
      worstMs: Math.round(Math.max(...times)),
      segment,
    })
    say(
      `preview, ${what}: ${count ?? 'ended at its time limit,'} devices, median ${Math.round(median(times))} ms, worst ${Math.round(Math.max(...times))} ms`,
    )
  }

  const pages = []
  for (const { what, segment } of values.dearest ? dearestOnes : fanOuts) {
    const fanned = await peers.fanOut({ kind: 'segment', segment })
    pages.push({ what, ...fanned, segment })
    say(
      `fan-out, ${what}: ${fanned.queued} queued by ${fanned.pages} pages; a page takes ${fanned.firstMs.toFixed(1)} ms at the first devices, ` +
        `${fanned.lateMs.toFixed(1)} ms at nine tenths (medians of 20)`,
    )
  }
  const name = `${values.dearest ? 'segments' : 'preview'}-${devices}`
  if (values.keep) keep(name, { what: `segments over ${devices} devices of an app`, previews: counted, fanOuts: pages })
}

/** Counts a segment. Undefined when the count was ended at its time limit; with a million devices no accepted segment may take that long. */
async function countOrEnded(preview: () => Promise<{ count: number }>): Promise<number | undefined> {
  try {
    return (await preview()).count
  } catch (error) {
    if (error instanceof Fault && error.code === 'rate_limited') return undefined
    throw error
  }
}

/** Answers in place of the other services, as far as audience needs them. The dispatcher's part takes every batch and finishes it without sending. */
async function playPeers(openPeer: ServicesAlone['openPeer'], appId: string) {
  const [gateway, campaigns, tracker, dispatcher] = await Promise.all([
    openPeer('gateway'),
    openPeer('campaigns'),
    openPeer('tracker'),
    openPeer('dispatcher'),
  ])
  const targets = new Map<string, FrozenTarget>()
  let reports: { at: number; queued: number; fannedOut: boolean }[] = []

  gateway.answer(readApp, async () => ({
    app: { id: appId, name: 'bench', settings: defaultSettings, createdAt: new Date().toISOString() },
  }))
  campaigns.answer(fanOutStarted, async ({ campaignIds }) => ({ flows: campaignIds.map(() => null) }))
  campaigns.answer(readSend, async ({ campaignId }) => {
    const target = targets.get(campaignId)
    return target ? { send: sendOf(appId, campaignId), target } : null
  })
  tracker.answer(reportQueued, async ({ reports: told }) => {
    const at = performance.now()
    for (const { byPlatform, fannedOut } of told)
      reports.push({ at, queued: byPlatform.ios + byPlatform.android + byPlatform.web, fannedOut })
    return {}
  })
  tracker.answer(readNotified, async () => ({ notified: [], next: null }))
  for (const consumer of pushWork) {
    dispatcher.consume(consumer, { atOnce: 8 }, async ({ batches: [pointer] }) => {
      if (!pointer) return
      const { batchId, appId } = pointer
      const taken = await dispatcher.call(takeBatch, {
        ...{ batchId, appId, knowsSend: true, from: 0, takes: null },
        ...{ environment: '', credentialsVersion: null, rate: null },
      })
      if (taken.answer === 'taken') {
        const unsent = recipientsOf(taken.recipients).map(({ subscriptionId }) => subscriptionId)
        const nothing = {
          environments: [],
          unsent,
          dead: [],
          guarded: [],
          refused: [],
          accepted: [],
          unavailable: [],
          answers: [],
          credentialsVersion: null,
          retries: [],
        }
        await dispatcher.call(finishBatch, { batchId, appId, takes: taken.takes, ...nothing })
      }
    })
  }

  return {
    gateway,
    /**
     * Runs a fan-out. `firstMs` and `lateMs` are the time of a page at the start and after nine tenths, each the median of 20 pages, counted from the
     * report of the page before to its own.
     */
    async fanOut(target: FrozenTarget): Promise<{ queued: number; pages: number; firstMs: number; lateMs: number }> {
      const campaignId = newId()
      targets.set(campaignId, target)
      reports = []
      await campaigns.publish(fanOutWork.subject, { campaignId, page: 0 }, campaignId)
      await until(() => reports.at(-1)?.fannedOut, { withinMs: 120_000, what: 'the end of the fan-out' })
      const times = reports.slice(1).map(({ at }, place) => at - (reports[place]?.at ?? at))
      const late = Math.floor(times.length * 0.9)
      return {
        queued: reports.at(-1)?.queued ?? 0,
        pages: reports.length,
        firstMs: median(times.slice(0, 20)),
        lateMs: median(times.slice(late - 10, late + 10)),
      }
    },
  }
}

function sendOf(appId: string, campaignId: string): FrozenSend {
  return {
    campaignId,
    appId,
    name: 'bench',
    transactional: false,
    content: { _default: 'en', en: { title: 'Hello', body: 'World' } },
    silent: false,
    data: {},
    ttl: 3600,
    collapseId: null,
    priority: 'high',
    presentation: null,
    bypass: {},
  }
}
