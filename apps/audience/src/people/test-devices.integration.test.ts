import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { TestSelector } from '@herald/contracts/test-send'
import type { Bus } from '@herald/service/bus'
import { expect, test } from 'vitest'
import { givenDevice, openAudience } from '../testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)

const mark = (appId: string, subscriptionId: string, test = true) => call(calls.markTestDevice, { appId, subscriptionId, test })
const list = (appId: string, page: { limit?: number; cursor?: string } = {}) => call(calls.listTestDevices, { appId, limit: 200, ...page })
const find = async (appId: string, selector: TestSelector) => (await call(calls.findTestDevices, { appId, selector })).devices
const idsFound = async (appId: string, selector: TestSelector) => (await find(appId, selector)).map(({ subscriptionId }) => subscriptionId)
const marksOf = (appId: string) => db.selectFrom('test_devices').select('subscription_id').where('app_id', '=', appId).execute()
const givenMarked = async (appId: string, about: Partial<Parameters<typeof givenDevice>[1]> = {}) => {
  const device = await givenDevice(db, { appId, ...about })
  await mark(appId, device.id)
  return device
}

// spec: administration/test-devices
test('an operator marks a device as a test device and removes the mark; doing either twice changes nothing', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })

  expect(await mark(appId, id)).toEqual({ id, optedIn: true, test: true })
  expect(await mark(appId, id)).toEqual({ id, optedIn: true, test: true })
  expect((await list(appId)).items.map((device) => device.id)).toEqual([id])
  expect(await mark(appId, id, false)).toEqual({ id, optedIn: true, test: false })
  expect(await mark(appId, id, false)).toEqual({ id, optedIn: true, test: false })
  expect((await list(appId)).items).toEqual([])

  await expect(mark(newId(), id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(mark(appId, newId())).rejects.toMatchObject({ code: 'not_found' })
})

// spec: administration/test-devices
test('of 110 devices that two processes mark at once exactly 100 become test devices; removing one frees its place', async () => {
  const appId = newId()
  const devices = await Promise.all(Array.from({ length: 110 }, () => givenDevice(db, { appId })))

  const marked = await Promise.allSettled(devices.map(({ id }) => mark(appId, id)))

  const refused = marked.flatMap((one) => (one.status === 'rejected' ? [one.reason as { code: string }] : []))
  expect(refused.map(({ code }) => code)).toEqual(Array(10).fill('limit_reached'))
  const [first] = await marksOf(appId)
  expect(await marksOf(appId)).toHaveLength(100)
  const left = devices[marked.findIndex(({ status }) => status === 'rejected')]?.id ?? ''
  await mark(appId, first?.subscription_id ?? '', false)
  expect(await mark(appId, left)).toMatchObject({ test: true })
  expect(await marksOf(appId)).toHaveLength(100)
})

// spec: administration/test-devices
test('when a test device is deleted, alone, with its user or with its app, its mark is deleted too', async () => {
  const appId = newId()
  const [alone, ofUser, last] = [await givenMarked(appId), await givenMarked(appId), await givenMarked(appId)]

  await call(calls.deleteSubscription, { appId, subscriptionId: alone.id })
  expect((await marksOf(appId)).map(({ subscription_id }) => subscription_id).toSorted()).toEqual([ofUser.id, last.id].toSorted())
  await call(calls.deleteUser, { appId, user: { userId: ofUser.userId } })
  expect(await marksOf(appId)).toEqual([{ subscription_id: last.id }])
  while (!(await call(calls.eraseAudienceOfApp, { appId })).done);
  expect(await marksOf(appId)).toEqual([])
})

test('when a device is marked as a test device while it is being deleted, no mark is left', async () => {
  const appId = newId()
  const devices = await Promise.all(Array.from({ length: 40 }, () => givenDevice(db, { appId })))

  const marked = await Promise.allSettled(
    devices.flatMap(({ id }) => [mark(appId, id), call(calls.deleteSubscription, { appId, subscriptionId: id })]),
  )

  const refused = marked.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))
  expect(refused.filter((code) => code !== 'not_found')).toEqual([])
  expect(await marksOf(appId)).toEqual([])
})

// spec: administration/test-devices, administration/masked-addresses, limits/lists
test('the list of test devices has pages, begins with the last marked, and shows 8 characters of each address', async () => {
  const appId = newId()
  const phone = await givenMarked(appId, { externalId: 'ada' })
  const browser = await givenMarked(appId, { platform: 'web' })
  for (const [place, { id }] of [phone, browser].entries())
    await db
      .updateTable('test_devices')
      .set({ marked_at: new Date(1_700_000_000_000 + place) })
      .where('subscription_id', '=', id)
      .execute()

  const { items, nextCursor } = await list(appId, { limit: 1 })
  const rest = await list(appId, { limit: 1, cursor: nextCursor ?? '' })

  expect(items).toMatchObject([{ id: browser.id, userId: browser.userId, externalId: null, platform: 'web', endpoint: 'https://…' }])
  expect(rest).toMatchObject({ items: [{ id: phone.id, externalId: 'ada', token: 'address-…', optedIn: true }], nextCursor: null })
  expect(JSON.stringify([items, rest.items])).not.toContain(`address-of-${phone.id}`)
  await expect(list(appId, { cursor: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_body', details: [{ path: 'cursor' }] })
})

// spec: administration/test-send-devices
test('a test may go to any single device or to several test devices; of users only to their test devices', async () => {
  const appId = newId()
  const marked = await givenMarked(appId, { externalId: 'ada' })
  const ordinary = await givenDevice(db, { appId, userId: marked.userId })
  const foreign = await givenMarked(newId())

  expect(await idsFound(appId, { subscriptionId: ordinary.id })).toEqual([ordinary.id])
  expect(await idsFound(appId, { subscriptionIds: [marked.id, marked.id] })).toEqual([marked.id])
  expect(await idsFound(appId, { userIds: [marked.userId, foreign.userId, newId()] })).toEqual([marked.id])
  expect(await idsFound(appId, { externalIds: ['ada', 'nobody'] })).toEqual([marked.id])
  expect(await idsFound(appId, { externalIds: ['nobody'] })).toEqual([])

  await expect(find(appId, { subscriptionId: foreign.id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(find(appId, { subscriptionIds: [marked.id, ordinary.id, foreign.id] })).rejects.toMatchObject({
    code: 'invalid_body',
    details: [{ path: 'subscriptionIds.1' }, { path: 'subscriptionIds.2' }],
  })
})

// spec: administration/test-send-devices
test('a test to users who together have more than 20 test devices is refused', async () => {
  const appId = newId()
  const { userId } = await givenMarked(appId, { externalId: 'ada' })
  for (let n = 1; n < 20; n += 1) await givenMarked(appId, { userId })
  expect(await idsFound(appId, { userIds: [userId] })).toHaveLength(20)

  await givenMarked(appId, { userId })

  await expect(find(appId, { userIds: [userId] })).rejects.toMatchObject({ code: 'invalid_body', details: [{ path: 'userIds' }] })
  await expect(find(appId, { externalIds: ['ada'] })).rejects.toMatchObject({ details: [{ path: 'externalIds' }] })
})

// spec: administration/test-send-answer
test('before a test the operator learns which devices of the test are opted out or invalidated', async () => {
  const appId = newId()
  const [fine, optedOut, dead] = [await givenMarked(appId), await givenMarked(appId), await givenMarked(appId, { platform: 'android' })]
  await call(calls.patchSubscription, { appId, subscriptionId: optedOut.id, changes: { optedIn: false } })
  await db.updateTable('subscriptions').set({ invalidated_at: new Date() }).where('id', '=', dead.id).execute()

  const found = await find(appId, { subscriptionIds: [fine.id, optedOut.id, dead.id] })

  expect(new Map(found.map(({ subscriptionId, unreachable }) => [subscriptionId, unreachable]))).toEqual(
    new Map([
      [fine.id, null],
      [optedOut.id, 'opted_out'],
      [dead.id, 'invalidated'],
    ]),
  )
})
