import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import type { Bus } from '@herald/service/bus'
import { eraseUser } from '@herald/contracts/calls/webhooks'
import { openBus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eraseApp } from '../erase-app.ts'
import { purgeFormerDevices } from './store/former-devices.ts'
import { givenWebKeys, openAudience } from '../testing/rig.ts'

const { db, config, dispatcher, startProcess } = await openAudience()
await startProcess()
const webhooks = await openBus(testService('webhooks', config))
webhooks.answer(eraseUser, async () => ({}))
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)
const keys = givenWebKeys()
const browser = (endpoint: string, externalId?: string): RegisterSubscription => ({
  ...{ platform: 'web', endpoint, keys },
  ...(externalId === undefined ? {} : { externalId }),
})
const register = (appId: string, subscription: RegisterSubscription) => call(calls.registerSubscription, { appId, subscription })
const formerOf = async (appId: string, userId: string) =>
  (await call(calls.listFormerDevices, { appId, userId, after: null })).subscriptionIds
const rowsOf = async (userId: string) =>
  (await db.selectFrom('former_devices').select(['subscription_id', 'until']).where('user_id', '=', userId).execute()).length

// spec: administration/former-devices
test('a device that leaves an identified user is remembered, whether by registration, login, logout, deletion or rotation', async () => {
  const appId = newId()
  const endpoint = (name: string) => `https://push.example/${appId}/${name}`
  const given = async (name: string) => register(appId, browser(endpoint(name), 'ann'))
  const [byRegistration, byLogin, byLogout, byRemoval, byRotation, stays] = [
    await given('registration'),
    await given('login'),
    await given('logout'),
    await given('removal'),
    await given('rotation'),
    await given('stays'),
  ]
  const ann = stays.userId

  await register(appId, browser(endpoint('registration'), 'bob'))
  await call(calls.loginSubscription, { appId, subscriptionId: byLogin.id, externalId: 'carl' })
  await call(calls.logoutSubscription, { appId, subscriptionId: byLogout.id })
  await call(calls.deleteSubscription, { appId, subscriptionId: byRemoval.id })
  const other = await register(appId, browser(endpoint('other'), 'dora'))
  await call(calls.rotateSubscription, { appId, rotation: { old: endpoint('other'), new: { endpoint: endpoint('rotation'), keys } } })
  await register(appId, browser(endpoint('stays'), 'ann'))
  await register(appId, browser(endpoint('stays')))

  expect(await formerOf(appId, ann)).toEqual([byRegistration.id, byLogin.id, byLogout.id, byRemoval.id, byRotation.id].toSorted())
  expect(await formerOf(appId, other.userId)).toEqual([])
  expect(await formerOf(newId(), ann)).toEqual([])
})

// spec: administration/former-devices
test('a device that leaves a user several times is remembered once, one that leaves an anonymous user is not', async () => {
  const appId = newId()
  const one = await register(appId, browser(`https://push.example/${appId}`))
  const anonymous = one.userId
  const ann = (await call(calls.changeUser, { appId, user: { externalId: 'ann' }, changes: { country: 'DE' } })).id
  for (let n = 0; n < 3; n += 1) {
    await call(calls.loginSubscription, { appId, subscriptionId: one.id, externalId: 'ann' })
    await call(calls.logoutSubscription, { appId, subscriptionId: one.id })
  }

  expect(await formerOf(appId, ann)).toEqual([one.id])
  expect(await rowsOf(anonymous)).toBe(0)
})

// spec: administration/former-devices
test('a device that registers, logs in or begins a session with the same user is no former device', async () => {
  const appId = newId()
  const { rows: before } = await sql`select from former_devices`.execute(db)
  const one = await register(appId, browser(`https://push.example/${appId}`))
  await call(calls.loginSubscription, { appId, subscriptionId: one.id, externalId: 'ann' })
  await register(appId, browser(`https://push.example/${appId}`, 'ann'))
  await call(calls.startSession, { appId, subscriptionId: one.id, session: {} })

  expect((await sql`select from former_devices`.execute(db)).rows).toHaveLength(before.length)
})

// spec: administration/former-devices
test('former devices are deleted with their user, with the app, and a day after the ledger has deleted their pushes', async () => {
  const appId = newId()
  const gone = async (externalId: string) => {
    const one = await register(appId, browser(`https://push.example/${appId}/${externalId}`, externalId))
    await call(calls.logoutSubscription, { appId, subscriptionId: one.id })
    expect(await rowsOf(one.userId)).toBe(1)
    return one.userId
  }
  const [erased, old, young, ofApp] = [await gone('erased'), await gone('old'), await gone('young'), await gone('of-app')]

  await call(calls.deleteUser, { appId, user: { userId: erased } })
  expect(await rowsOf(erased)).toBe(0)
  await sql`update former_devices set until = now() - interval '92 days' where user_id = ${old}`.execute(db)
  await sql`update former_devices set until = now() - interval '90 days' where user_id = ${young}`.execute(db)
  expect(await purgeFormerDevices(db, 90)).toBe(false)
  expect([await rowsOf(old), await rowsOf(young), await rowsOf(ofApp)]).toEqual([0, 1, 1])
  while (!(await eraseApp({ db }, { appId })).done);
  expect([await rowsOf(young), await rowsOf(ofApp)]).toEqual([0, 0])
})

test('a long list of former devices has pages, which hold each device once and in order', async () => {
  const appId = newId()
  const ann = (await call(calls.changeUser, { appId, user: { externalId: 'ann' }, changes: { country: 'DE' } })).id
  await sql`
    insert into former_devices (user_id, subscription_id) select ${ann}, lpad(to_hex(n), 24, '0') from generate_series(1, 1200) n`.execute(
    db,
  )

  const found: string[] = []
  for (let after: string | null | undefined = null; after !== undefined;) {
    const from: string | null = after
    const page: { subscriptionIds: string[]; next: string | null } = await call(calls.listFormerDevices, {
      appId,
      userId: ann,
      after: from,
    })
    found.push(...page.subscriptionIds)
    after = page.next ?? undefined
  }
  expect(found).toEqual(Array.from({ length: 1_200 }, (_, n) => (n + 1).toString(16).padStart(24, '0')))
})
