import { smallSend } from '@herald/contracts/batch'
import { readSend, sendNotification } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { pointedAtOnce } from '@herald/contracts/topology'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import { givenAudience, givenCampaigns, givenNotification } from './testing/given-campaigns.ts'

let gateway: Awaited<ReturnType<typeof givenPeer>>
let audience: Awaited<ReturnType<typeof givenAudience>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('campaigns')
  audience = await givenAudience(natsUrl, new Map())
  await givenCampaigns({ databaseUrl, natsUrl })
  await givenCampaigns({ databaseUrl, natsUrl })
  gateway = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('campaigns', {}), { url: databaseUrl, poolSize: 2 }))
})
afterEach(() => {
  audience.refusesSends = false
  audience.refuses = () => false
  audience.takesOver = false
})

const send = async (notification: SendNotification, appId = newId()) =>
  (await gateway.call(sendNotification, { appId, idempotency: null, notification })).id
const handedOver = (campaignId: string) => audience.handedOver.filter((one) => one.send.campaignId === campaignId)
const heardOf = (campaignId: string) => audience.pointers.filter((pointer) => pointer.campaignId === campaignId).length
const names = (count: number) => Array.from({ length: count }, (_, n) => `customer-${n}`)

test('audience gets a small send in a call, with everything that it would otherwise read of the send', async () => {
  const notifications = [
    givenNotification({ data: { order: '17' }, priority: 'normal', bypass: { quietHours: true }, ttl: 0, collapseId: 'order-17' }),
    givenNotification({ target: { userIds: [newId(), newId()] }, silent: true }),
    givenNotification({ target: { externalIds: names(smallSend) } }),
  ]
  for (const notification of notifications) {
    const id = await send(notification)
    await until(() => handedOver(id).length === 1, { what: 'the hand-over' })
    // What is handed over has no change of its flow yet.
    expect({ ...handedOver(id)[0], flowNo: 0 }).toEqual(await audience.bus.call(readSend, { campaignId: id }))
  }
})

test('audience gets a pointer to a send that names more than 100 users, or everyone', async () => {
  for (const target of [{ externalIds: names(smallSend + 1) }, { all: true as const }]) {
    const id = await send(givenNotification({ target }))
    await until(() => heardOf(id) === 1, { what: 'the pointer' })
    expect(handedOver(id)).toEqual([])
  }
})

test('audience gets a pointer to a small send that it has refused, before the sweep sends one', async () => {
  audience.refusesSends = true
  const ids = await Promise.all(Array.from({ length: 5 }, () => send(givenNotification())))

  await until(() => ids.every((id) => heardOf(id) > 0), { what: 'a pointer at each' })
  for (const id of ids) {
    expect(handedOver(id)).toEqual([])
    const { pointer_no } = await db.selectFrom('campaigns').select('pointer_no').where('id', '=', id).executeTakeFirstOrThrow()
    expect(pointer_no).toBe(0)
  }
})

// spec: sending/failed-start
test('a send that audience refuses by itself gets a pointer and a failed start; an audience away counts none', async () => {
  const bad = newId()
  audience.refuses = ({ send: { data } }) => data.bad === bad
  const [refused, ...others] = await Promise.all([
    send(givenNotification({ data: { bad } })),
    ...Array.from({ length: 5 }, () => send(givenNotification())),
  ])
  await until(() => others.every((id) => handedOver(id).length === 1) && heardOf(refused ?? '') > 0)
  const failedStarts = async (id = '') =>
    (await db.selectFrom('campaigns').select('failed_starts').where('id', '=', id).executeTakeFirstOrThrow()).failed_starts
  await until(async () => (await failedStarts(refused)) === 1)
  for (const id of others) expect(await failedStarts(id)).toBeNull()

  audience.refusesSends = true
  const away = await send(givenNotification())
  await until(() => heardOf(away) > 0)
  expect(await failedStarts(away)).toBeNull()
})

test('while audience has 64 unstarted sends of an app further ones wait, and follow when those are started', async () => {
  const appId = newId()
  const first = await Promise.all(Array.from({ length: pointedAtOnce }, () => send(givenNotification(), appId)))
  await until(() => first.every((id) => handedOver(id).length > 0))
  // Audience got these sends and has not started them. The test makes their lease an hour long, so that the sweep does not send them again.
  const inAnHour = new Date(Date.now() + 3_600_000)
  await db.updateTable('campaigns').set({ due_at: inAnHour }).where('app_id', '=', appId).execute()
  const waiting = await Promise.all(Array.from({ length: 5 }, () => send(givenNotification(), appId)))
  expect(waiting.flatMap(handedOver)).toEqual([])

  audience.takesOver = true
  await audience.takeOver(first)

  await until(() => waiting.every((id) => handedOver(id).length === 1), { what: 'the rest to be handed over' })
})
