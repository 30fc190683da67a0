import { readSend, sendNotification } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { keyName, takeKeys } from './store/idempotency-keys.ts'
import type { Tables } from './store/tables.ts'
import { fingerprintOf, givenAudience, givenCampaigns, givenContent, givenNotification } from './testing/given-campaigns.ts'

const appId = newId()
const segments = new Map<string, unknown>()
let gateway: Awaited<ReturnType<typeof givenPeer>>
let audience: Awaited<ReturnType<typeof givenAudience>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

/** Two instances of campaigns answer, as in a rolling restart. */
beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('campaigns')
  audience = await givenAudience(natsUrl, segments)
  await givenCampaigns({ databaseUrl, natsUrl })
  await givenCampaigns({ databaseUrl, natsUrl })
  gateway = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('campaigns', {}), { url: databaseUrl, poolSize: 2 }))
})

const send = (notification: SendNotification, idempotency: { key: string; fingerprint: string } | null = null) =>
  gateway.call(sendNotification, { appId, idempotency, notification })
const campaignsWith = async (collapseId: string) =>
  (await db.selectFrom('campaigns').select('id').where('collapse_id', '=', collapseId).execute()).length
const givenTemplate = async (fields: Partial<{ id: string; ttl: number; silent: boolean; data: string }> = {}) => {
  const id = fields.id ?? newId()
  await db
    .insertInto('templates')
    .values({ id, app_id: appId, name: id, content: JSON.stringify(givenContent('From the template.')), ...fields })
    .execute()
  return id
}

// spec: sending/accept, sending/committed
test('an accepted notification is a committed campaign; audience is told of it and reads the frozen send', async () => {
  const { id, status, replayed } = await send(
    givenNotification({
      data: { order: '17' },
      overrides: { ios: { aps: { category: 'ORDER' } } },
      priority: 'normal',
      bypass: { quietHours: true },
    }),
  )
  expect({ status, replayed }).toEqual({ status: 'sending', replayed: false })

  await until(() => audience.pointers.some(({ campaignId, page }) => campaignId === id && page === 0), {
    what: 'the pointer',
  })
  expect(await audience.bus.call(readSend, { campaignId: id })).toEqual({
    send: {
      campaignId: id,
      appId,
      name: 'notification',
      transactional: true,
      content: givenContent(),
      silent: false,
      data: { order: '17' },
      ttl: 2_419_200,
      collapseId: null,
      priority: 'normal',
      presentation: null,
      overrides: { ios: { aps: { category: 'ORDER' } } },
      bypass: { quietHours: true },
      experiment: null,
      remainder: null,
      userTimezone: null,
    },
    target: { kind: 'externalIds', externalIds: ['ada'] },
    flowNo: 0,
  })
})

// spec: limits/idempotency-replay, limits/idempotency-commit
test('50 simultaneous requests with one Idempotency-Key make one campaign, and all that are accepted are answered with its id', async () => {
  for (const round of ['one', 'two', 'three']) {
    const collapseId = `parallel-${round}`
    const same = { key: collapseId, fingerprint: fingerprintOf('a') }
    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => send(givenNotification({ collapseId }), same)))

    const heard = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
    expect(heard.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(heard.map(({ id }) => id)).size).toBe(1)
    for (const reason of refused) expect(reason).toMatchObject({ code: 'idempotency_in_progress' })
    expect(await campaignsWith(collapseId)).toBe(1)
    expect(await send(givenNotification({ collapseId }), same)).toEqual({ ...heard[0], replayed: true })
  }
})

// spec: limits/idempotency-reused
test('an Idempotency-Key that was used with another request is refused', async () => {
  const collapseId = 'reused'
  const first = { key: collapseId, fingerprint: fingerprintOf('a') }
  const second = { key: collapseId, fingerprint: fingerprintOf('b') }
  const answers = await Promise.allSettled([send(givenNotification({ collapseId }), first), send(givenNotification({ collapseId }), first)])
  expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true)
  await expect(send(givenNotification({ collapseId }), second)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  expect(await campaignsWith(collapseId)).toBe(1)
})

// spec: limits/idempotency-in-progress, limits/idempotency-commit
test('an Idempotency-Key that another transaction holds is in progress, and can be used after that transaction', async () => {
  const idempotency = { key: 'held', fingerprint: fingerprintOf('a') }
  await db.transaction().execute(async (trx) => {
    expect(await takeKeys(trx, [{ appId, key: 'held' }])).toEqual(new Set([keyName({ appId, key: 'held' })]))
    await expect(send(givenNotification(), idempotency)).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  })
  expect((await send(givenNotification(), idempotency)).replayed).toBe(false)
})

// spec: limits/idempotency-scope
test('two apps may use the same Idempotency-Key, and each makes its own campaign', async () => {
  const idempotency = { key: 'shared', fingerprint: fingerprintOf('a') }
  const mine = await send(givenNotification(), idempotency)
  const theirs = await gateway.call(sendNotification, { appId: newId(), idempotency, notification: givenNotification() })
  expect(theirs.replayed).toBe(false)
  expect(theirs.id).not.toBe(mine.id)
})

// spec: limits/idempotency-replay
test('an Idempotency-Key that is older than 24 hours counts as new', async () => {
  const idempotency = { key: 'old', fingerprint: fingerprintOf('a') }
  const first = await send(givenNotification(), idempotency)
  await db
    .updateTable('idempotency_keys')
    .set({ created_at: sql`now() - interval '25 hours'` })
    .where('key', '=', 'old')
    .execute()
  const second = await send(givenNotification(), { key: 'old', fingerprint: fingerprintOf('b') })
  expect(second).toMatchObject({ replayed: false })
  expect(second.id).not.toBe(first.id)
  expect(await send(givenNotification(), { key: 'old', fingerprint: fingerprintOf('b') })).toEqual({ ...second, replayed: true })
})

// spec: content/template-unknown, sending/accept-order, limits/idempotency-replay
test('an unknown template is not_found and uses no Idempotency-Key; a replay is answered although it was deleted', async () => {
  const templateId = newId()
  const notification: SendNotification = { target: { all: true }, templateId }
  const idempotency = { key: 'template', fingerprint: fingerprintOf('a') }
  await expect(send(notification, idempotency)).rejects.toMatchObject({ code: 'not_found' })

  await givenTemplate({ id: templateId })
  const accepted = await send(notification, idempotency)
  expect(accepted.replayed).toBe(false)
  await db.deleteFrom('templates').where('id', '=', templateId).execute()
  expect(await send(notification, idempotency)).toEqual({ ...accepted, replayed: true })
})

test('a notification with another app’s template is answered not_found', async () => {
  const templateId = await givenTemplate()
  const asked = gateway.call(sendNotification, {
    appId: newId(),
    idempotency: null,
    notification: { target: { all: true as const }, templateId },
  })
  await expect(asked).rejects.toMatchObject({ code: 'not_found' })
})

// spec: content/template-merge
test('a field of the request wins over the template’s, and one left out comes from the template', async () => {
  const templateId = await givenTemplate({ ttl: 600, data: JSON.stringify({ source: 'template' }) })
  const { id } = await send({ target: { all: true }, templateId, ttl: 0 })
  const read = await audience.bus.call(readSend, { campaignId: id })
  expect(read?.send).toMatchObject({ content: givenContent('From the template.'), ttl: 0, data: { source: 'template' } })
})

// spec: sending/target-segment
test('a notification copies its saved segment when it is accepted; with an unknown segment it is refused as not_found', async () => {
  const segmentId = newId()
  await expect(send(givenNotification({ target: { segmentId } }))).rejects.toMatchObject({ code: 'not_found' })
  const definition = { field: 'tags.plan', op: 'eq', value: 'pro' }
  segments.set(segmentId, definition)
  const { id } = await send(givenNotification({ target: { segmentId } }))
  segments.delete(segmentId)
  expect((await audience.bus.call(readSend, { campaignId: id }))?.target).toEqual({ kind: 'segment', segment: definition })
})

// spec: sending/accept-order
test('content too large for a platform is refused with its locale, and no Idempotency-Key is used up', async () => {
  const entry = {
    title: 'Order',
    body: 'It is ready.',
    url: `https://example.com/${'x'.repeat(2_000)}`,
    image: `https://example.com/${'y'.repeat(2_000)}`,
  }
  const idempotency = { key: 'large', fingerprint: fingerprintOf('a') }
  await expect(send(givenNotification({ content: { _default: 'de', de: entry } }), idempotency)).rejects.toMatchObject({
    code: 'invalid_body',
    details: expect.arrayContaining([expect.objectContaining({ path: 'content.de' })]),
  })
  expect((await send(givenNotification(), { ...idempotency, fingerprint: fingerprintOf('b') })).replayed).toBe(false)
})

test('audience reads null for a campaign that does not exist', async () => {
  expect(await audience.bus.call(readSend, { campaignId: newId() })).toBeNull()
})
