import { changeWebhook, deleteWebhook, enableWebhook, eraseWebhooksOfApp, listWebhooks } from '@herald/contracts/calls/webhooks'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { openRig, type Rig } from './testing/rig.ts'

/** Tracker and audience announce events that an endpoint asks for. Both know of a new endpoint before the request that makes it is answered. */

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
  await rig.start()
})
afterEach(() => void (rig.onTold.tracker = () => Promise.resolve()))

const url = 'https://127.0.0.1:1/'
const newest = (who: 'tracker' | 'audience', appId: string) =>
  rig.told[who]
    .filter((one) => one.appId === appId)
    .toSorted((one, other) => one.version - other.version)
    .at(-1)
    ?.eventTypes.toSorted()
const whatBothKnow = (appId: string) => ({ tracker: newest('tracker', appId), audience: newest('audience', appId) })
const both = (...eventTypes: string[]) => ({ tracker: eventTypes, audience: eventTypes })

// spec: webhooks/create-waits
test('when a new endpoint is answered, tracker and audience know its types and the app’s others', async () => {
  const { appId } = await rig.givenWebhook(url, { eventTypes: ['notification.sent'] })
  expect(whatBothKnow(appId)).toEqual(both('notification.sent'))
  await rig.givenWebhook(url, { appId, eventTypes: ['notification.failed', 'notification.sent'] })
  expect(whatBothKnow(appId)).toEqual(both('notification.failed', 'notification.sent'))
})

// spec: webhooks/create-waits
test('the request for a new endpoint is not answered before the tracker has answered', async () => {
  const hearing = Promise.withResolvers<void>()
  const heard = Promise.withResolvers<void>()
  rig.onTold.tracker = () => (hearing.resolve(), heard.promise)
  let isAnswered = false
  const made = rig.givenWebhook(url).then((webhook) => ((isAnswered = true), webhook))
  await hearing.promise
  await until(() => rig.told.audience.length > 0)
  expect(isAnswered).toBe(false)
  heard.resolve()
  expect(whatBothKnow((await made).appId)).toEqual(both('*'))
})

// spec: webhooks/one-failing-app
test('an app of which the tracker cannot be told keeps no other app from being told', async () => {
  const apps = await Promise.all([1, 2, 3].map(() => rig.givenWebhook(url)))
  const bad = apps[1]?.appId ?? ''
  const times = (appId = '') => rig.told.tracker.filter((one) => one.appId === appId).length
  const before = new Map(apps.map(({ appId }) => [appId, times(appId)]))
  const isTold = (appId = '') => times(appId) > (before.get(appId) ?? 0)
  rig.onTold.tracker = (listeners) =>
    listeners.some(({ appId }) => appId === bad) ? Promise.reject(queueUnavailable()) : Promise.resolve()
  await rig.db
    .updateTable('listened_apps')
    .set({ due_at: new Date(0) })
    .where(
      'app_id',
      'in',
      apps.map(({ appId }) => appId),
    )
    .execute()
  await until(() => isTold(apps[0]?.appId) && isTold(apps[2]?.appId), { what: 'the others are told', withinMs: 40_000 })
  expect(isTold(bad)).toBe(false)
  rig.onTold.tracker = () => Promise.resolve()
  await until(() => isTold(bad), { what: 'told when the tracker answers' })
})

// spec: webhooks/create-waits
test('when the tracker does not answer, a new endpoint is refused and gone, and both learn of no events', async () => {
  const appId = newId()
  rig.onTold.tracker = () => Promise.reject(queueUnavailable())
  await expect(rig.givenWebhook(url, { appId })).rejects.toMatchObject({ code: 'queue_unavailable' })
  expect((await rig.gateway.call(listWebhooks, { appId, limit: 10 })).items).toEqual([])

  rig.onTold.tracker = () => Promise.resolve()
  await until(() => newest('tracker', appId)?.length === 0 && newest('audience', appId)?.length === 0, { what: 'the sweep tells' })
  expect(whatBothKnow(appId)).toEqual(both())
})

test('a change for more events is answered when tracker and audience know; one for fewer reaches them soon', async () => {
  const { appId, id: webhookId } = await rig.givenWebhook(url, { eventTypes: ['notification.sent'] })
  await rig.gateway.call(changeWebhook, { appId, webhookId, changes: { eventTypes: ['notification.opened'] } })
  expect(whatBothKnow(appId)).toEqual(both('notification.opened'))

  await rig.gateway.call(changeWebhook, { appId, webhookId, changes: { enabled: false } })
  await until(() => newest('tracker', appId)?.length === 0 && newest('audience', appId)?.length === 0, { what: 'nobody listens' })
  await rig.gateway.call(enableWebhook, { appId, webhookId })
  expect(whatBothKnow(appId)).toEqual(both('notification.opened'))

  await rig.gateway.call(deleteWebhook, { appId, webhookId })
  await until(() => newest('tracker', appId)?.length === 0 && newest('audience', appId)?.length === 0, { what: 'nobody listens' })
})

test('when endpoints of one app are made at once, each is known to tracker and audience when answered', async () => {
  const appId = newId()
  const types = ['notification.sent', 'notification.failed', 'notification.skipped', 'campaign.completed'] as const
  await Promise.all(
    types.map(async (type) => {
      await rig.givenWebhook(url, { appId, eventTypes: [type] })
      for (const who of ['tracker', 'audience'] as const) expect(newest(who, appId)).toContain(type)
    }),
  )
  expect(whatBothKnow(appId)).toEqual(both(...types.toSorted()))
})

test('at the next repeat the tracker hears an app’s types again; deleting the app deletes the repeat', async () => {
  const { appId } = await rig.givenWebhook(url)
  const times = () => rig.told.tracker.filter((one) => one.appId === appId).length
  const before = times()
  await rig.db
    .updateTable('listened_apps')
    .set({ due_at: new Date(0) })
    .where('app_id', '=', appId)
    .execute()
  await until(() => times() > before, { what: 'told again' })

  await until(async () => (await rig.gateway.call(eraseWebhooksOfApp, { appId })).done)
  expect(await rig.db.selectFrom('listened_apps').selectAll().where('app_id', '=', appId).execute()).toEqual([])
})
