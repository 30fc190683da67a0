import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apps, call, type AppName } from '@herald/contracts/call'
import { apnsToken, appChanged, makeStreams, readApp, readCredentials } from '@herald/contracts/calls/gateway'
import { findPushesWithOutcome, reportQueued } from '@herald/contracts/calls/tracker'
import { readWebhook } from '@herald/contracts/calls/webhooks'
import { grantsOf, inboxOf, natsAuthorization, natsUser, natsUsers, rightsOf, uses, type NatsUser } from '@herald/contracts/grants'
import { bulkFanOutWork, consumers, fanOutWork, streams, streamsOwner } from '@herald/contracts/topology'
import { startNatsServer } from '@herald/embedded/nats-server'
import { atEnd } from '@herald/testing/at-end'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { connect, PermissionViolationError, type NatsConnection } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openBus } from './bus.ts'
import { openLog } from './log.ts'

const passwordOf = (user: NatsUser) => `${user}-password-0123456789`
const passwords = Object.fromEntries(natsUsers.map((user) => [user, passwordOf(user)])) as Record<NatsUser, string>

const storeDir = mkdtempSync(join(tmpdir(), 'herald-grants-'))
const server = await startNatsServer({ storeDir, configuration: natsAuthorization(passwords) })
atEnd(() => server.stop().finally(() => rmSync(storeDir, { recursive: true, force: true })))

const serviceOf = (app: AppName) => testService(app, { NATS_URL: server.url, NATS_PASSWORD: passwordOf(app) })
const gateway = await openBus(serviceOf('gateway'))
gateway.answer(apnsToken, async () => ({ token: 'provider-token', mintedAt: '2026-01-01T00:00:00.000Z' }))

async function intrudeAs(app: NatsUser): Promise<{ connection: NatsConnection; refused: () => string[] }> {
  const connection = await connect({
    servers: server.url,
    user: natsUser(app),
    pass: passwordOf(app),
    inboxPrefix: inboxOf(app),
    reconnect: false,
  })
  atEnd(() => connection.close())
  const violations: string[] = []
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError)
        violations.push(`${status.error.operation} ${status.error.subject}`)
    }
  })()
  return { connection, refused: () => violations }
}

const everyApi = [...Object.keys(streams), ...['OTHER']].flatMap((stream) => [
  `$JS.API.STREAM.CREATE.${stream}`,
  `$JS.API.STREAM.UPDATE.${stream}`,
  `$JS.API.STREAM.DELETE.${stream}`,
  `$JS.API.STREAM.PURGE.${stream}`,
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.STREAM.MSG.DELETE.${stream}`,
  `$JS.API.STREAM.SNAPSHOT.${stream}`,
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.mine`,
])
const ofConsumers = consumers.flatMap(({ stream, durable, subject }) => [
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
  `$JS.API.CONSUMER.DELETE.${stream}.${durable}`,
  `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
  `$JS.ACK.${stream}.${durable}.1.1.1.1.1`,
])
/** The subjects that the tests try: those that services publish to, JetStream's, an inbox of each service, one of the server's, and unused ones. */
const everySubject = [
  ...new Set([
    ...apps.flatMap((app) => [...uses[app].asks, ...uses[app].tells].map(({ subject }) => subject)),
    ...apps.flatMap((app) => [...uses[app].stores, `canary.${app}`, `_INBOX.${app}.guessed`, `rpc.${app}.made-up`]),
    makeStreams.subject,
    'work.other',
    'event.other',
    'changed.other',
    ...everyApi,
    ...ofConsumers,
    '$SYS.REQ.SERVER.PING',
  ]),
]

const matches = (grant: string, subject: string) => grant === subject || (grant.endsWith('>') && subject.startsWith(grant.slice(0, -1)))

// spec: running/nats-users
test.each(natsUsers)('NATS refuses each message that the user %s publishes to a subject without a grant', async (app) => {
  const { connection, refused } = await intrudeAs(app)
  const granted = rightsOf(app).publish
  const own = everySubject.filter((subject) => granted.some((grant) => matches(grant, subject)))
  const foreign = everySubject.filter((subject) => !own.includes(subject))

  // Publishes only to subjects that the service was not granted, because a message to a granted one would have an effect.
  for (const subject of foreign) connection.publish(subject, '{}')
  await connection.flush()

  await until(() => refused().length >= foreign.length)
  expect(refused().toSorted()).toEqual(foreign.map((subject) => `publish ${subject}`).toSorted())
  expect(own.length).toBeGreaterThan(0)
})

test.each(apps)('the service %s may listen to its broadcasts and, in its group, to its calls, but not to others’ subjects', async (app) => {
  const { connection, refused } = await intrudeAs(app)
  const others = apps.filter((other) => other !== app)
  const foreign = [
    '>',
    '*.>',
    'rpc.>',
    '_INBOX.>',
    'work.>',
    'event.>',
    'canary.>',
    '$JS.>',
    '$SYS.>',
    'changed.>',
    ...others.flatMap((other) => [`rpc.${other}.>`, `_INBOX.${other}.>`]),
    // Calls to a service go to its queue group. A listener outside of the group would get a copy of each call without being noticed.
    `rpc.${app}.>`,
  ]

  for (const subject of foreign) connection.subscribe(subject)
  await connection.flush()
  await until(() => refused().length >= foreign.length)
  expect(refused().toSorted()).toEqual(foreign.map((subject) => `subscription ${subject}`).toSorted())

  connection.subscribe(`rpc.${app}.anything`, { queue: app })
  for (const { subject } of uses[app].hears) connection.subscribe(subject)
  await connection.flush()
  expect(refused()).toHaveLength(foreign.length)
})

// spec: running/nats-users
test('without the right password nobody connects to NATS; webhooks may not ask for a provider token, the dispatcher may', async () => {
  await expect(connect({ servers: server.url, reconnect: false })).rejects.toThrow(/authorization/i)
  await expect(connect({ servers: server.url, reconnect: false, user: natsUser('dispatcher'), pass: 'guessed' })).rejects.toThrow(
    /authorization/i,
  )

  const { connection: webhooks } = await intrudeAs('webhooks')
  const asked = webhooks.request(apnsToken.subject, JSON.stringify({ appId: 'a'.repeat(24), refused: null }), { timeout: 5_000 })
  await expect(asked).rejects.toThrow(/permissions violation/i)

  const dispatcher = await openBus(serviceOf('dispatcher'))
  expect(await dispatcher.call(apnsToken, { appId: 'a'.repeat(24), refused: null })).toMatchObject({ token: 'provider-token' })
})

// spec: cluster/reset
test('the user of `set-up queue` may listen to no call, no broadcast and no other inbox', async () => {
  const { connection, refused } = await intrudeAs('queue')
  const foreign = ['>', 'rpc.>', 'changed.>', '_INBOX.>', '_INBOX.gateway.>', 'work.>', 'event.>']
  for (const subject of foreign) connection.subscribe(subject)
  await connection.flush()

  await until(() => refused().length >= foreign.length)
  expect(refused().toSorted()).toEqual(foreign.map((subject) => `subscription ${subject}`).toSorted())
})

test('a service that received a call may answer it once, and NATS refuses a second answer', async () => {
  const tracker = await openBus(serviceOf('tracker'))
  const report = { campaignId: 'c'.repeat(24), appId: 'a'.repeat(24), day: '2026-01-01', name: 'n', transactional: false, fannedOut: true }
  tracker.answer(reportQueued, async () => ({}))
  const audience = await openBus(serviceOf('audience'))
  expect(await audience.call(reportQueued, { reports: [{ ...report, byPlatform: { ios: 1, android: 0, web: 0 }, batches: [] }] })).toEqual(
    {},
  )

  // An intruder with the password of webhooks takes a call to webhooks, and tries to answer it twice.
  const { connection, refused } = await intrudeAs('webhooks')
  const ask = call<{ n: number }>()('rpc.webhooks.read-webhook', z.object({ n: z.number() }))
  let reply = ''
  connection.subscribe(ask.subject, {
    queue: 'webhooks',
    callback: (_error, message) => {
      reply = message.reply ?? ''
      message.respond('{"answer":{"n":1}}')
      message.respond('{"answer":{"n":2}}')
    },
  })
  await connection.flush()
  expect(await gateway.call(ask, { n: 0 })).toEqual({ n: 1 })
  await until(() => refused().length > 0)
  expect(refused()).toEqual([`publish ${reply}`])
  await connection.close()
})

test('the gateway does not handle a stored message that an intruder makes NATS deliver as a call or a broadcast', async () => {
  const askedFor: string[] = []
  gateway.answer(readCredentials, async ({ appId }) => {
    askedFor.push(appId)
    return { credentials: null }
  })
  const heard: string[] = []
  gateway.listen(appChanged, ({ appId }) => void heard.push(appId))
  const { connection } = await intrudeAs('audience')
  const forged = 'f'.repeat(24)
  const waiting = async () => {
    const answer = await connection.request(`$JS.API.CONSUMER.INFO.${fanOutWork.stream}.${fanOutWork.durable}`)
    return answer.json<{ num_ack_pending: number }>().num_ack_pending
  }

  // nats-server delivers the messages of a consumer to any subject, without checking the right to publish there.
  const deliver = (body: object, to: string) => {
    connection.publish(fanOutWork.subject, JSON.stringify(body))
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${fanOutWork.stream}.${fanOutWork.durable}`, '1', { reply: to })
  }
  deliver({ appId: forged, kind: 'fcm' }, readCredentials.subject)
  deliver({ appId: forged }, appChanged.subject)
  await until(async () => (await waiting()) === 2)

  const dispatcher = await openBus(serviceOf('dispatcher'))
  const appId = 'a'.repeat(24)
  await dispatcher.call(readCredentials, { appId, kind: 'fcm' })
  gateway.broadcast(appChanged, { appId })
  await until(() => heard.includes(appId))
  expect({ askedFor, heard }).toEqual({ askedFor: [appId], heard: [appId] })
})

// spec: running/nats-users
test('a JetStream answer that an intruder stores as a pointer starts nothing, and takes no pointers’ room', async () => {
  const handled: string[] = []
  const audience = await openBus(serviceOf('audience'))
  audience.consume(bulkFanOutWork, { atOnce: 4 }, async ({ campaignId }) => void handled.push(campaignId))
  const { connection } = await intrudeAs('webhooks')
  const { connection: asGateway } = await intrudeAs('gateway')
  const stored = async () => {
    const { state } = (await asGateway.request('$JS.API.STREAM.INFO.WORK', '{"subjects_filter":">"}')).json<{
      state: { subjects?: Record<string, number> }
    }>()
    return state.subjects ?? {}
  }
  // nats-server sends its answer to any subject that a request names, and does not check the right to publish there.
  for (let n = 0; n < 50; n += 1)
    for (const reply of [bulkFanOutWork.subject, 'work.nobody-reads'])
      for (const asked of ['$JS.API.INFO', '$JS.API.STREAM.INFO.WORK', '$JS.API.STREAM.INFO.NONE']) connection.publish(asked, '', { reply })
  await connection.flush()
  const campaignId = 'c'.repeat(24)
  await audience.publish(bulkFanOutWork.subject, { campaignId, page: 1 }, 'after the answers')

  await until(() => handled.length > 0)
  await until(async () => (await stored())[bulkFanOutWork.subject] === undefined, { what: 'the answers to be dropped' })
  expect(handled).toEqual([campaignId])
  expect(await stored()).not.toHaveProperty('work.nobody-reads')
})

test('a refusal with an unknown code reaches the caller as "internal"', async () => {
  const { connection } = await intrudeAs('webhooks')
  connection.subscribe(readWebhook.subject, {
    queue: 'webhooks',
    callback: (_error, message) => void message.respond('{"fault":{"code":"toString","message":"made up"}}'),
  })
  await connection.flush()

  const asked = gateway.call(readWebhook, { appId: 'a'.repeat(24), webhookId: 'b'.repeat(24) })
  await expect(asked).rejects.toMatchObject({ code: 'internal', message: 'Internal error.' })
  await connection.close()
})

test('a call with its answer on another service’s subject, or none, is not carried out', async () => {
  const answered: string[] = []
  gateway.answer(readApp, async ({ appId }) => {
    answered.push(appId)
    return { app: null }
  })
  const { connection } = await intrudeAs('audience')
  const [forged, appId] = ['f'.repeat(24), 'a'.repeat(24)]

  connection.publish(readApp.subject, JSON.stringify({ appId: forged }), { reply: 'rpc.tracker.record-outcomes' })
  connection.publish(readApp.subject, JSON.stringify({ appId: forged }))
  await connection.request(readApp.subject, JSON.stringify({ appId }))
  expect(answered).toEqual([appId])
})

function logged(app: AppName) {
  const written: string[] = []
  const log = openLog(app, 'info', { write: (line) => void written.push(line) })
  return { log, lines: (saying: string) => written.filter((line) => line.includes(saying)) }
}

test('a service that NATS refuses logs so without the password; a forbidden call is logged by name', async () => {
  const refused = logged('tracker')
  const service = testService('tracker', { NATS_URL: server.url, NATS_PASSWORD: 'an old password' })
  const opening = openBus({ ...service, log: refused.log })
  void opening.catch(() => undefined)
  await until(() => refused.lines('does not let this process in').length === 1)
  expect(refused.lines('an old password')).toEqual([])

  const lacking = logged('campaigns')
  const campaigns = await openBus({ ...serviceOf('campaigns'), log: lacking.log })
  await expect(campaigns.call(apnsToken, { appId: 'a'.repeat(24), refused: null })).rejects.toMatchObject({ code: 'queue_unavailable' })
  await until(() => lacking.lines('NATS does not allow this').length === 1)
  expect(lacking.lines('NATS does not allow this')[0]).toContain(apnsToken.subject)
})

test('a thousand contract-breaking calls cost fewer than five log lines, without values, beside a valid answered one', async () => {
  const { log, lines } = logged('tracker')
  const tracker = await openBus({ ...serviceOf('tracker'), log })
  tracker.answer(findPushesWithOutcome, async ({ subscriptionIds }) => ({ subscriptionIds }))
  const audience = await openBus(serviceOf('audience'))
  const { connection } = await intrudeAs('audience')
  const broken = [
    'no JSON',
    '[]',
    '{"campaignId":"short"}',
    JSON.stringify({ campaignId: 'c'.repeat(24), subscriptionIds: Array.from({ length: 1_000 }, (_, n) => `secret-${n}`) }),
  ]

  const answers = Array.from({ length: 1_000 }, (_, n) =>
    connection.request(findPushesWithOutcome.subject, broken[n % broken.length], { timeout: 25_000 }),
  )
  const asked = { campaignId: 'c'.repeat(24), subscriptionIds: ['d'.repeat(24)] }
  // Everything runs in one process on a busy machine, so the call may take long.
  await until(async () => (await audience.call(findPushesWithOutcome, asked)).subscriptionIds.length === 1, { withinMs: 30_000 })
  const said = new Set((await Promise.all(answers)).map((message) => message.string()))

  expect([...said]).toEqual([JSON.stringify({ fault: { code: 'internal', message: 'Internal error.' } })])
  expect(lines('a call broke its contract').length).toBeLessThan(5)
  expect(lines('a call broke its contract').join('').length).toBeLessThan(20_000)
  expect(lines('secret-')).toEqual([])
})

test('a service that may not make streams has the gateway make them, also after NATS has lost its store', async () => {
  expect(apps.filter((app) => grantsOf(app).publish.some((subject) => /\.(CREATE|UPDATE|DELETE|PURGE)\b/.test(subject)))).toEqual([
    streamsOwner,
  ])
  const audience = await openBus(serviceOf('audience'))
  const seen: number[] = []
  audience.consume(fanOutWork, { atOnce: 4 }, async ({ page }) => void seen.push(page))
  await audience.publish(fanOutWork.subject, { campaignId: 'b'.repeat(24), page: 1 }, 'one')
  await until(() => seen.includes(1))

  await startServerAgainWithoutStore()
  await until(async () => {
    await audience.publish(fanOutWork.subject, { campaignId: 'b'.repeat(24), page: 2 }, `two ${performance.now()}`).catch(() => undefined)
    return seen.includes(2)
  })
  expect(seen).toContain(2)
})

async function startServerAgainWithoutStore(): Promise<void> {
  const { port } = server
  server.child.kill('SIGKILL')
  await until(() => server.child.exitCode !== null || server.child.signalCode !== null)
  rmSync(storeDir, { recursive: true, force: true })
  const again = await startNatsServer({ storeDir, port, configuration: natsAuthorization(passwords) })
  atEnd(() => again.stop())
}
