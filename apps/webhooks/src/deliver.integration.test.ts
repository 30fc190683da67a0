import { signWebhook, verifyWebhook } from '@herald/auth/webhook-signature'
import {
  changeWebhook,
  enableWebhook,
  eraseUser,
  listDeliveries,
  replayDelivery,
  rotateWebhookSecret,
  testWebhook,
} from '@herald/contracts/calls/webhooks'
import type { Webhook } from '@herald/contracts/webhook'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { Stripe } from 'stripe'
import { beforeAll, expect, test } from 'vitest'
import { newDeliveryId } from './core/batch.ts'
import { insertBodies } from './store/bodies.ts'
import { endAttempts, renewLeases } from './store/deliveries.ts'
import { startReceiver, type Received } from './testing/receiver.ts'
import { givenDeliveries, givenEvent, givenEvents, openRig, type Rig } from './testing/rig.ts'

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
  await rig.start()
})
const logOf = async ({ appId, id }: Webhook) => (await rig.gateway.call(listDeliveries, { appId, webhookId: id, limit: 200 })).items

// spec: webhooks/signature
test('the verifier of the stripe package accepts a delivery, and refuses one that was changed or is 301 seconds old', async () => {
  const receiver = await startReceiver()
  const { appId, secret } = await rig.givenWebhook(`${receiver.url}/stripe`)
  await rig.announce([givenEvent(appId)])
  const { body, headers } = await until(() => receiver.received[0])
  const header = String(headers['x-service-signature'])
  const { signature } = Stripe.webhooks
  if (!signature) throw new Error('stripe has no verifier')

  expect(signature.verifyHeader(body, header, secret, 300)).toBe(true)
  expect(() => signature.verifyHeader(body.replace('sent', 'opened'), header, secret, 300)).toThrow(/signature/)
  const old = signWebhook(secret, body, new Date(Date.now() - 301_000))
  expect(() => signature.verifyHeader(body, old, secret, 300)).toThrow(/tolerance/)
})

// spec: webhooks/retries, webhooks/same-bytes
test('a failing delivery is attempted five times with the same id, bytes and a valid signature, then counts as failed', async () => {
  const receiver = await startReceiver((_one, response) => response.writeHead(500).end())
  const webhook = await rig.givenWebhook(`${receiver.url}/failing`)
  await rig.announce([givenEvent(webhook.appId)])

  const failed = await until(async () => (await logOf(webhook)).find(({ state }) => state === 'failed'))
  expect(failed).toMatchObject({ eventCount: 1, replayable: true, nextAttemptAt: null })
  expect(failed.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
  expect(receiver.received).toHaveLength(5)
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  for (const { body, headers } of receiver.received)
    expect(verifyWebhook(webhook.secret, String(headers['x-service-signature']), body, new Date())).toEqual({ ok: true })
  const gaps = receiver.received.slice(1).map(({ at }, index) => at - (receiver.received[index]?.at ?? 0))
  for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(50 * 2 ** index - 2)
  expect(await rig.read(webhook)).toMatchObject({ consecutiveFailures: 1, lastStatus: 500, enabled: true })
})

/** Makes a delivery that is due in a second, so that a test can first do something to it. */
async function givenSoon({ appId, id }: Webhook): Promise<string> {
  const [bodyId] = await insertBodies(rig.db, [{ key: { appId, types: '*' }, userIds: [], eventCount: 1, events: Buffer.from('[]') }])
  const deliveryId = newDeliveryId()
  await sql`
    insert into deliveries (id, endpoint_id, event_count, body_id, due_at)
    values (${deliveryId}, ${id}, 1, ${bodyId}, now() + interval '1 second')`.execute(rig.db)
  return deliveryId
}
const isDue = async (id: string) =>
  (
    await rig.db
      .selectFrom('deliveries')
      .select('id')
      .where('id', '=', id)
      .where('due_at', '<=', sql<Date>`now()`)
      .execute()
  ).length > 0

// spec: webhooks/one-failing-app
test('a delivery that another transaction holds keeps no other from being posted', async () => {
  const receiver = await startReceiver()
  const [held, good] = [await rig.givenWebhook(`${receiver.url}/held`), await rig.givenWebhook(`${receiver.url}/good`)]
  const id = await givenSoon(held)
  await rig.db.transaction().execute(async (other) => {
    await other.selectFrom('deliveries').select('id').where('id', '=', id).forUpdate().execute()
    await until(() => isDue(id))
    await givenDeliveries(rig.db, good, 1)
    await until(() => receiver.at('/good').length === 1, { withinMs: 8_000 })
    expect(receiver.at('/held')).toEqual([])
  })
  await until(() => receiver.at('/held').length === 1)
})

// spec: webhooks/one-failing-app
test('an endpoint whose deliveries cannot be taken rests, and the deliveries of other endpoints are posted', async () => {
  const receiver = await startReceiver()
  const [bad, good] = [await rig.givenWebhook(`${receiver.url}/bad`), await rig.givenWebhook(`${receiver.url}/good`)]
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`.execute(
    rig.db,
  )
  await sql`
    create trigger refuse before update on deliveries for each row when (new.endpoint_id = ${sql.lit(bad.id)}) execute function refuse()`.execute(
    rig.db,
  )
  try {
    await until(isDue.bind(undefined, await givenSoon(bad)))
    await givenDeliveries(rig.db, good, 1)
    await until(() => receiver.at('/good').length === 1, { withinMs: 20_000 })
    expect(receiver.at('/bad')).toEqual([])
  } finally {
    await sql`drop trigger refuse on deliveries`.execute(rig.db)
  }
  await until(() => receiver.at('/bad').length === 1)
})

// spec: webhooks/one-failing-app
test('a body that cannot be read holds up no other delivery, and is posted when it can be', async () => {
  const receiver = await startReceiver()
  const [bad, good] = [await rig.givenWebhook(`${receiver.url}/bad`), await rig.givenWebhook(`${receiver.url}/good`)]
  const id = await givenSoon(bad)
  await sql`create function refuse_read() returns boolean language plpgsql as $$ begin raise exception 'refused by the test'; end $$`.execute(
    rig.db,
  )
  await sql`create policy refuse on bodies using (case when app_id = ${sql.lit(bad.appId)} then refuse_read() else true end)`.execute(
    rig.db,
  )
  await sql`alter table bodies enable row level security, force row level security`.execute(rig.db)
  try {
    // The good delivery is due in the same moment, so both bodies are read together.
    const { rows } = await sql<{ at: Date }>`select due_at as at from deliveries where id = ${id}`.execute(rig.db)
    const [goodId] = [await givenSoon(good)]
    await rig.db
      .updateTable('deliveries')
      .set({ due_at: rows[0]?.at ?? null })
      .where('id', '=', goodId)
      .execute()
    await until(() => receiver.at('/good').length === 1, { withinMs: 20_000 })
    expect(receiver.at('/bad')).toEqual([])
  } finally {
    await sql`alter table bodies disable row level security, no force row level security`.execute(rig.db)
  }
  await until(() => receiver.at('/bad').length === 1)
})

// spec: webhooks/lost-attempt
test('a delivery whose process died has that attempt in its log; it is posted again unless it was the fifth', async () => {
  const receiver = await startReceiver()
  const webhook = await rig.givenWebhook(`${receiver.url}/lost`)
  // Makes a delivery as a process leaves it behind that dies during the attempt: with a lease that has ended.
  const givenLost = async (tries: number) => {
    const ended = sql<Date>`now() - interval '1 second'`
    const [id = ''] = await givenDeliveries(rig.db, webhook, 1, { left: { takes: 1, tries, lease_until: ended, due_at: ended } })
    return until(async () => (await logOf(webhook)).find((delivery) => delivery.id === id && delivery.state !== 'pending'))
  }
  const posted = await givenLost(0)
  expect(posted.attempts.map(({ status, error }) => [status, error])).toEqual([
    [null, 'network_error'],
    [204, null],
  ])
  const last = await givenLost(4)
  expect([last.state, last.attempts.map(({ error }) => error)]).toEqual(['failed', ['network_error']])
  expect(receiver.received.map(({ id }) => id)).toEqual([posted.id])
  expect(await rig.read(webhook)).toMatchObject({ consecutiveFailures: 1, lastError: 'network_error' })
})

// spec: webhooks/lost-attempt
test('a renewal after an attempt’s result leaves the delivery due, so that its next take finds no lost attempt', async () => {
  const webhook = await rig.givenWebhook('https://example.com/late-renewal')
  const delivery = () => rig.db.updateTable('deliveries').where('endpoint_id', '=', webhook.id)
  await rig.db.updateTable('endpoints').set({ enabled: false }).where('id', '=', webhook.id).execute()
  const [id = ''] = await givenDeliveries(rig.db, webhook, 1)
  await delivery().set({ takes: 1 }).execute()
  const attempt = { at: new Date().toISOString(), status: 500, error: null, latencyMs: 1 }
  await endAttempts(rig.db, [{ id, takes: 1, attempt, next: { state: 'pending', inMs: 60_000 } }])
  await renewLeases(rig.db, [{ id, takes: 1 }])
  const { lease_until, due_at } = await rig.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(lease_until).toBeNull()
  expect(Number(due_at) - Date.now()).toBeGreaterThan(30_000)
})

/** Waits until a delivery was taken a second time, and checks that it has no attempt yet. Then what was broken is mended, and it is posted once. */
async function waitsUntilMended(webhook: Webhook, deliveryId: string, mend: () => Promise<unknown>) {
  const row = () => rig.db.selectFrom('deliveries').selectAll().where('id', '=', deliveryId).executeTakeFirstOrThrow()
  await until(async () => (await row()).takes >= 2, { withinMs: 30_000 })
  await until(async () => (await row()).lease_until === null, { withinMs: 30_000 })
  expect(await row()).toMatchObject({ tries: 0, attempts: [] })
  await mend()
  const ended = await until(async () => (await logOf(webhook)).find(({ id, state }) => id === deliveryId && state !== 'pending'), {
    withinMs: 30_000,
  })
  expect([ended.state, ended.attempts.map(({ status }) => status)]).toEqual(['delivered', [204]])
}

// spec: webhooks/lost-attempt
test('a delivery whose endpoint’s secret no key opens waits for the key, without an attempt', async () => {
  const receiver = await startReceiver()
  const webhook = await rig.givenWebhook(`${receiver.url}/sealed`)
  const endpoint = () => rig.db.updateTable('endpoints').where('id', '=', webhook.id)
  const { sealed_secret } = await rig.db.selectFrom('endpoints').selectAll().where('id', '=', webhook.id).executeTakeFirstOrThrow()
  await endpoint()
    .set({ sealed_secret: sealed_secret.replace(/^test/, 'lost'), secret_version: 9 })
    .execute()
  const [first = ''] = await givenDeliveries(rig.db, webhook, 1)
  await waitsUntilMended(webhook, first, () => endpoint().set({ sealed_secret }).execute())
  expect(await rig.read(webhook)).toMatchObject({ consecutiveFailures: 0 })
}, 90_000)

// spec: webhooks/lost-attempt
test('a delivery whose body cannot be read has no attempt; a lost one before it still counts', async () => {
  const receiver = await startReceiver()
  const webhook = await rig.givenWebhook(`${receiver.url}/unread`)
  const endpoint = () => rig.db.updateTable('endpoints').where('id', '=', webhook.id)
  await endpoint().set({ enabled: false }).execute()
  const [first = '', lost = ''] = await givenDeliveries(rig.db, webhook, 2)
  const ended = sql<Date>`now() - interval '1 second'`
  await rig.db.updateTable('deliveries').set({ takes: 1, lease_until: ended, due_at: ended }).where('id', '=', lost).execute()
  await sql`alter table bodies rename column events to away`.execute(rig.db)
  await endpoint().set({ enabled: true }).execute()
  await waitsUntilMended(webhook, first, () => sql`alter table bodies rename column away to events`.execute(rig.db))
  const posted = await until(async () => (await logOf(webhook)).find(({ id, state }) => id === lost && state !== 'pending'))
  expect(posted.attempts.map(({ status, error }) => [status, error])).toEqual([
    [null, 'network_error'],
    [204, null],
  ])
}, 90_000)

// spec: webhooks/answers, webhooks/switched-off
test('a 404 or a redirect ends the delivery at once, and does not count as a failure of the endpoint', async () => {
  const elsewhere = await startReceiver()
  const receiver = await startReceiver(({ path }, response) =>
    path === '/redirect' ? response.writeHead(307, { location: elsewhere.url }).end() : response.writeHead(404).end(),
  )
  const webhooks = [await rig.givenWebhook(`${receiver.url}/gone`), await rig.givenWebhook(`${receiver.url}/redirect`)]
  for (const { appId } of webhooks) await rig.announce([givenEvent(appId)])

  for (const webhook of webhooks) {
    const failed = await until(async () => (await logOf(webhook)).find(({ state }) => state === 'failed'))
    expect(failed.attempts).toHaveLength(1)
    expect(await rig.read(webhook)).toMatchObject({ consecutiveFailures: 0 })
  }
  expect(elsewhere.received).toEqual([])
})

// spec: webhooks/retry-after
test('Retry-After delays the next attempt', async () => {
  const receiver = await startReceiver((_one, response) => response.writeHead(429, { 'retry-after': '600' }).end())
  const webhook = await rig.givenWebhook(`${receiver.url}/later`)
  await rig.announce([givenEvent(webhook.appId)])

  const waiting = await until(async () => (await logOf(webhook)).find(({ attempts }) => attempts.length > 0))
  expect(waiting.state).toBe('pending')
  expect(Date.parse(waiting.nextAttemptAt ?? '') - Date.now()).toBeGreaterThan(580_000)
})

// spec: webhooks/switched-off, webhooks/enable
test('50 exhausted deliveries in a row switch an endpoint off, not 49, a success and 49; switching on resets', async () => {
  let fails = true
  const receiver = await startReceiver((_one, response) => response.writeHead(fails ? 503 : 204).end())
  const webhook = await rig.givenWebhook(`${receiver.url}/fifty`)
  const { appId, id: webhookId } = webhook
  // Makes deliveries that have had four attempts, so that the next attempt is their last, and waits until it has failed.
  const exhaust = async (count: number) => {
    const before = (await rig.read(webhook)).consecutiveFailures
    await givenDeliveries(rig.db, webhook, count, { left: { tries: 4 } })
    await until(async () => (await rig.read(webhook)).consecutiveFailures === before + count)
  }
  await exhaust(49)
  expect(await rig.read(webhook)).toMatchObject({ enabled: true })

  fails = false
  await rig.announce([givenEvent(appId)])
  await until(async () => (await rig.read(webhook)).consecutiveFailures === 0)
  fails = true
  await exhaust(49)
  expect(await rig.read(webhook)).toMatchObject({ consecutiveFailures: 49, enabled: true, disabledReason: null })
  await exhaust(1)
  expect(await rig.read(webhook)).toMatchObject({ consecutiveFailures: 50, enabled: false, disabledReason: 'consecutive_failures' })

  expect(await rig.gateway.call(enableWebhook, { appId, webhookId })).toMatchObject({
    enabled: true,
    consecutiveFailures: 0,
    disabledReason: null,
    disabledAt: null,
  })
})

// spec: webhooks/rotate-secret
test('after a secret is rotated under load every delivery verifies with the new secret only', async () => {
  const receiver = await startReceiver()
  const webhook = await rig.givenWebhook(`${receiver.url}/rotation`)
  const { appId, id: webhookId, secret: old } = webhook
  let stop = false
  const load = (async () => {
    while (!stop) await rig.announce(givenEvents(appId, 200))
  })()
  const rotate = async () => {
    await until(() => receiver.received.length >= 10, { withinMs: 50_000 })
    const { secret } = await rig.gateway.call(rotateWebhookSecret, { appId, webhookId })
    const rotatedAfter = receiver.received.length
    await until(() => receiver.received.length >= rotatedAfter + 20, { withinMs: 50_000 })
    return { secret, rotatedAfter }
  }
  const { secret, rotatedAfter } = await rotate().finally(() => (stop = true))
  await load

  const verifiesWith = (key: string, { body, headers }: Received) =>
    verifyWebhook(key, String(headers['x-service-signature']), body, new Date()).ok
  const [before, after] = [receiver.received.slice(0, rotatedAfter), receiver.received.slice(rotatedAfter)]
  expect(before.slice(0, 10).every((one) => verifiesWith(old, one))).toBe(true)
  expect(after.every((one) => verifiesWith(secret, one) && !verifiesWith(old, one))).toBe(true)
}, 120_000)

// spec: webhooks/test, webhooks/event-ping
test('testing an endpoint posts one signed ping and answers the receiver’s status, or why there is none', async () => {
  const receiver = await startReceiver((_one, response) => response.writeHead(418).end())
  const { appId, id: webhookId, secret } = await rig.givenWebhook(`${receiver.url}/ping`)
  expect(await rig.gateway.call(testWebhook, { appId, webhookId })).toEqual({ status: 418, error: null })
  const [{ body, headers, events } = { body: '', headers: {}, events: [] }] = receiver.received
  expect(verifyWebhook(secret, String(Reflect.get(headers, 'x-service-signature')), body, new Date())).toEqual({ ok: true })
  expect(events).toEqual([{ id: expect.stringMatching(/^evt_[0-9a-f]{24}$/), type: 'ping', ts: expect.stringMatching(/Z$/), appId }])

  await rig.gateway.call(changeWebhook, { appId, webhookId, changes: { url: 'https://127.0.0.1:1/' } })
  expect(await rig.gateway.call(testWebhook, { appId, webhookId })).toEqual({ status: null, error: 'network_error' })
})

// spec: webhooks/replay
test('a delivery can be replayed with the same id and bytes while its body is kept, and not after that', { timeout: 120_000 }, async () => {
  const receiver = await startReceiver()
  const webhook = await rig.givenWebhook(`${receiver.url}/replay`)
  const { appId, id: webhookId } = webhook
  await rig.announce([givenEvent(appId)])
  // Deliveries of the tests above are still due and are posted first.
  const delivered = await until(async () => (await logOf(webhook)).find(({ state }) => state === 'delivered'), { withinMs: 110_000 })
  const at = { appId, webhookId, deliveryId: delivered.id }

  await rig.gateway.call(replayDelivery, at)
  await until(() => receiver.received.length === 2)
  expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
  await until(async () => (await logOf(webhook))[0]?.attempts.length === 2)

  await rig.db.updateTable('deliveries').set({ body_id: null }).where('id', '=', at.deliveryId).execute()
  await expect(rig.gateway.call(replayDelivery, at)).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(rig.gateway.call(replayDelivery, { ...at, deliveryId: 'dlv_none' })).rejects.toMatchObject({ code: 'not_found' })
})

// spec: webhooks/erasure
test(
  'erasing a user deletes bodies with the user’s name, and undelivered events go again without the external id',
  { timeout: 120_000 },
  async () => {
    let fails = true
    const receiver = await startReceiver((_one, response) => response.writeHead(fails ? 503 : 204, { 'retry-after': '3600' }).end())
    const webhook = await rig.givenWebhook(`${receiver.url}/erase`)
    const { appId } = webhook
    const [ada, bob] = [givenEvent(appId), givenEvent(appId)]
    rig.externalIds.set(ada.userId ?? '', 'ada').set(bob.userId ?? '', 'bob')
    await rig.announce([ada, bob])
    await until(() => receiver.received.length === 1, { withinMs: 110_000 })
    expect(receiver.received[0]?.events.map(({ externalId }) => externalId)).toEqual(['ada', 'bob'])

    rig.externalIds.delete(ada.userId ?? '')
    fails = false
    await rig.gateway.call(eraseUser, { appId, userId: ada.userId ?? '' })
    await until(() => receiver.received.length === 2)
    const [first, second] = receiver.received
    expect(second?.id).not.toBe(first?.id)
    expect(second?.events.map(({ id, externalId }) => [id, externalId])).toEqual([
      [first?.events[0]?.id, undefined],
      [first?.events[1]?.id, 'bob'],
    ])
    expect(await rig.db.selectFrom('bodies').select('id').where('app_id', '=', appId).execute()).toHaveLength(1)
    await until(async () => (await logOf(webhook)).some(({ state }) => state === 'delivered'))
    expect((await logOf(webhook)).map(({ state }) => state).toSorted()).toEqual(['delivered', 'erased'])
  },
)

// spec: webhooks/apart
test('healthy endpoints get events within 10 s beside a dead and a hanging one, which gets two posts at once', async () => {
  let [atOnce, most] = [0, 0]
  const hanging = await startReceiver(() => {
    atOnce += 1
    most = Math.max(most, atOnce)
  })
  const healthy = await startReceiver()
  const { appId } = await rig.givenWebhook(`${hanging.url}/hangs`)
  await rig.givenWebhook('https://127.0.0.1:1/dead', { appId })
  const others = await Promise.all(Array.from({ length: 20 }, async (_, n) => (await rig.givenWebhook(`${healthy.url}/${n}`)).appId))

  for (let round = 0; round < 3; round += 1) {
    await rig.announce(givenEvents(appId, 300))
    await rig.announce(others.map((each) => givenEvent(each)))
    await until(() => healthy.received.length === 20 * (round + 1), { withinMs: 60_000 })
  }
  // A post that hangs ends after 10 s, so an endpoint that had waited for such a post would have waited longer than that. How long endpoints do wait
  // is measured by bench/src/webhooks.ts.
  const waits = healthy.received.map(({ at, events }) => at - Date.parse(events[0]?.ts ?? ''))
  expect(Math.max(...waits)).toBeLessThan(10_000)
  await until(() => most === 2)
  expect(most).toBe(2)
})
