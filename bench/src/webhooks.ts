import { hash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { confirmAudienceAnnouncements, findExternalIds, hearAudienceListeners } from '@herald/contracts/calls/audience'
import { confirmTrackerAnnouncements, hearTrackerListeners } from '@herald/contracts/calls/tracker'
import { createWebhook } from '@herald/contracts/calls/webhooks'
import type { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { until } from '@herald/testing/until'
import { readOptions, say } from './options.ts'
import { measureProcesses, memoryOf } from './processes.ts'
import { keep } from './results.ts'
import { withServicesAlone, type ServicesAlone } from './services-alone.ts'

const help = `node bench/src/webhooks.ts [--events 100000] [--apps 20] [--endpoints 1] [--kill] [--keep]

Announces events of so many apps with so many endpoints each, and measures how many events a second webhooks takes over and delivers, and the CPU time of webhooks and Postgres.
--kill: 20,000 events, webhooks is killed with -9 every 2 s and 30 % of the answers fail: every event must arrive, and the same
delivery must always have the same bytes. --keep writes the result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { events: '', apps: 20, endpoints: 1, kill: false, keep: false })

const perAnnouncement = 500
const killEveryMs = 2_000
/**
 * Limits of V8's heap, in MB: for new objects and for old ones, as in production. Without them a burst of events takes up to 130 MB for new objects,
 * and 384 MB for the complete process.
 */
const heapOptions = '--max-semi-space-size=16 --max-old-space-size=1024'
const { apps: appCount, endpoints: endpointCount } = values
const eventCount = Number(values.events || (values.kill ? 20_000 : 100_000))

await withServicesAlone(['webhooks'], async (alone) => {
  const result = await measure(alone)
  for (const [name, value] of Object.entries(result)) say(`${name.padEnd(28)}${JSON.stringify(value)}`)
  if (values.keep) keep(`webhooks${values.kill ? '-kill' : ''}`, { what: 'webhooks: events announced, buffered and delivered', ...result })
})

async function measure(alone: ServicesAlone) {
  const { openPeer } = alone
  const confirmedAt = new Map<string, number>()
  const [gateway, tracker, audience] = [await openPeer('gateway'), await openPeer('tracker'), await openPeer('audience')]
  tracker.answer(confirmTrackerAnnouncements, async ({ announcementIds }) => {
    for (const id of announcementIds) confirmedAt.set(id, performance.now())
    return {}
  })
  audience.answer(confirmAudienceAnnouncements, async () => ({}))
  tracker.answer(hearTrackerListeners, async () => ({}))
  audience.answer(hearAudienceListeners, async () => ({}))
  // Every second user has an external id.
  audience.answer(findExternalIds, async ({ userIds }) => ({
    externalIds: Object.fromEntries(userIds.filter((_id, place) => place % 2 === 0).map((id) => [id, `customer-${id}`])),
  }))

  const receiver = await startReceiver(alone)
  const environment = {
    NODE_OPTIONS: heapOptions,
    SEAL_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_BASE_SECONDS: '0.2',
    NODE_EXTRA_CA_CERTS: receiver.authority,
  }
  let app = alone.spawnService('webhooks', environment)
  const appIds = Array.from({ length: appCount }, () => newId())
  const pathsOf = new Map(appIds.map((appId) => [appId, Array.from({ length: endpointCount }, (_, n) => `/${appId}/${n}`)]))
  for (const [appId, paths] of pathsOf) {
    for (const path of paths) {
      const webhook = { url: `${receiver.url}${path}`, eventTypes: ['*' as const], description: null }
      await until(() => gateway.call(createWebhook, { appId, webhook }), { withinMs: 30_000, what: 'an endpoint' })
    }
  }
  const copiesOf = (event: Event) => (pathsOf.get(event.appId) ?? []).map((path) => `${path} ${idOf(event)}`)

  const announcements = new Map<string, Event[]>()
  for (let made = 0, n = 0; made < eventCount; made += perAnnouncement, n += 1)
    announcements.set(newId(), eventsOf(appIds[n % appCount] ?? '', Math.min(perAnnouncement, eventCount - made)))
  const expected = new Set([...announcements.values()].flat().flatMap(copiesOf))
  const before = cpuByProcess(alone.directory)

  const startedAt = performance.now()
  let kills = 0
  const killing = values.kill
    ? setInterval(() => {
        kills += 1
        app.kill('SIGKILL')
        app = alone.spawnService('webhooks', environment)
      }, killEveryMs)
    : undefined
  for (let round = 0; confirmedAt.size < announcements.size; round += 1) {
    const open = [...announcements].filter(([id]) => !confirmedAt.has(id))
    const portion = values.kill ? 4 : 20
    for (let from = 0; from < open.length; from += portion) {
      await Promise.allSettled(
        open
          .slice(from, from + portion)
          .map(([announcementId, events]) =>
            tracker.publish(eventSubjects.pushSettled, { announcementId, owner: 'tracker', events }, `${announcementId}.${round}`),
          ),
      )
      // With --kill the announcements are spread over the kills, as a tracker would publish them. Without --kill they are published as fast as
      // possible.
      if (values.kill) await sleep(1_000)
    }
    await until(() => confirmedAt.size === announcements.size, { withinMs: values.kill ? 4_000 : 60_000 }).catch(() => undefined)
  }
  const bufferedInMs = Math.max(...confirmedAt.values()) - startedAt
  await until(() => receiver.seen.size >= expected.size, { withinMs: 300_000, what: 'every event' })
  const deliveredInMs = performance.now() - startedAt
  const cpu = cpuByProcess(alone.directory)
  clearInterval(killing)
  const trickle = values.kill ? undefined : await measureTrickle()

  const missing = [...expected].filter((id) => !receiver.seen.has(id)).length
  if (missing > 0 || receiver.changedBytes > 0 || receiver.largest > 100)
    throw new Error(`void: ${missing} missing, ${receiver.changedBytes} deliveries with other bytes, batches of ${receiver.largest}`)
  return {
    events: eventCount,
    apps: appCount,
    endpointsOfEach: endpointCount,
    takenOverPerSecond: Math.round((eventCount * 1000) / bufferedInMs),
    deliveredPerSecond: Math.round((expected.size * 1000) / deliveredInMs),
    seconds: Math.round(deliveredInMs) / 1000,
    cpuSeconds: Object.fromEntries([...cpu].map(([name, seconds]) => [name, Math.round((seconds - (before.get(name) ?? 0)) * 100) / 100])),
    kills,
    posts: receiver.posts,
    copies: receiver.copies,
    peakRssMb: memoryOf(app.pid ?? 0).peakRssMb || null,
    ...(trickle === undefined ? {} : { trickleMs: trickle }),
  }

  /**
   * Measures how long events take from announcement to a healthy receiver, at one per app every 100 ms for 10 s, beside sick endpoints of another
   * app. Up to 1 s is an event's wait for others of its batch.
   */
  async function measureTrickle() {
    const announcedAt = new Map<string, number>()
    const sick = newId()
    for (const url of ['https://127.0.0.1:1/', `${receiver.url}/hangs`])
      await gateway.call(createWebhook, { appId: sick, webhook: { url, eventTypes: ['*'], description: null } })
    for (let round = 0; round < 100; round += 1) {
      const events = appIds.flatMap((appId) => eventsOf(appId, 1))
      for (const event of events) for (const copy of copiesOf(event)) announcedAt.set(copy, performance.now())
      const announcementId = newId()
      const body = { announcementId, owner: 'tracker', events: [...events, ...eventsOf(sick, 100)] }
      await tracker.publish(eventSubjects.pushSettled, body, announcementId)
      await sleep(100)
    }
    await until(() => [...announcedAt.keys()].every((id) => receiver.seen.has(id)), { what: 'the trickle' })
    const waits = [...announcedAt].map(([id, at]) => (receiver.seen.get(id) ?? 0) - at).toSorted((one, other) => one - other)
    const at = (share: number) => Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0)
    return { p50: at(0.5), p99: at(0.99), max: at(1) }
  }
}

/** Starts an https receiver that records the events. With --kill three of ten answers are failures. */
async function startReceiver({ directory, atEnd }: ServicesAlone) {
  const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2)
  const authority = join(directory, 'ca.pem')
  writeFileSync(authority, ca)
  /** When an event first came to an endpoint (key: `path id`), by the clock of this process. */
  const seen = new Map<string, number>()
  const digests = new Map<string, string>()
  const state = { posts: 0, copies: 0, changedBytes: 0, largest: 0, seen, url: '', authority }
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/hangs') return
      const body = Buffer.concat(chunks)
      const { id, events } = JSON.parse(body.toString()) as { id: string; events: { id: string }[] }
      const digest = hash('sha256', body)
      state.posts += 1
      if (digests.has(id)) state.copies += 1
      if ((digests.get(id) ?? digest) !== digest) state.changedBytes += 1
      digests.set(id, digest)
      state.largest = Math.max(state.largest, events.length)
      for (const event of events) {
        const copy = `${request.url} ${event.id}`
        if (!seen.has(copy)) seen.set(copy, performance.now())
      }
      if (values.kill && state.posts % 10 < 3) response.writeHead([500, 429, 503][state.posts % 10] ?? 500).end()
      else response.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  state.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}

function eventsOf(appId: string, count: number): Event[] {
  return Array.from({ length: count }, () => ({
    type: 'notification.sent',
    at: new Date().toISOString(),
    appId,
    campaignId: newId(),
    userId: newId(),
    subscriptionId: newId(),
    platform: 'ios',
  }))
}

/** Gives the public id of an event (spec: webhooks/event-id). */
function idOf({ campaignId, subscriptionId, type }: Event): string {
  return `evt_${hash('sha256', `${campaignId}|${subscriptionId}|${type}`).slice(0, 24)}`
}

/** Reads the CPU time so far of webhooks, of nats-server, and of Postgres with all its processes. */
function cpuByProcess(directory: string): Map<string, number> {
  return new Map(measureProcesses(directory).map(({ name, cpuSeconds }) => [name, cpuSeconds]))
}
