import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { AddressForm, ExportedUser } from '@herald/contracts/person'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import type { Bus } from '@herald/service/bus'
import { looksOf } from '@herald/testing/plans'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { exportUsers } from './export-users.ts'
import type { Tables } from '../store/tables.ts'
import { givenCrowd, givenWebKeys, openAudience } from '../testing/rig.ts'

const { db, config, dispatcher, startProcess } = await openAudience()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)
const keys = givenWebKeys()

type Asked = { appId: string; segmentId?: string; addresses?: AddressForm }
async function all({ addresses = 'masked', ...asked }: Asked, between: (n: number) => Promise<unknown> = async () => undefined) {
  const users: ExportedUser[] = []
  let portions = 0
  for (let after: string | null | undefined = null; after !== undefined;) {
    const from: string | null = after
    const portion: { users: ExportedUser[]; next: string | null } = await call(calls.exportUsers, { ...asked, addresses, after: from })
    users.push(...portion.users)
    portions += 1
    await between(portions)
    after = portion.next ?? undefined
  }
  return { users, portions }
}
const idsOf = (users: { id: string }[]) => users.map(({ id }) => id)

// spec: administration/export-everybody, administration/export-addresses
test('an export has each user with all devices; addresses are masked unless the full form is asked for', async () => {
  const appId = newId()
  const token = 'canary-token-of-an-export'
  const endpoint = 'https://push.example/canary-of-an-export'
  const phone = {
    platform: 'ios',
    token,
    externalId: 'ann',
    tags: { plan: 'pro' },
    language: 'de',
    appVersion: '4.2',
  } as RegisterSubscription
  const one = await call(calls.registerSubscription, { appId, subscription: phone })
  await call(calls.registerSubscription, { appId, subscription: { platform: 'web', endpoint, keys, externalId: 'ann' } })
  const nobody = await call(calls.changeUser, { appId, user: { externalId: 'bob' }, changes: { country: 'FR' } })

  const [masked, full] = [(await all({ appId })).users, (await all({ appId, addresses: 'full' })).users]

  expect(idsOf(masked)).toEqual([one.userId, nobody.id].toSorted())
  expect(masked.find(({ id }) => id === nobody.id)).toMatchObject({ externalId: 'bob', country: 'FR', subscriptions: [], preferences: {} })
  const ann = masked.find(({ id }) => id === one.userId)
  expect(ann).toMatchObject({ externalId: 'ann', tags: { plan: 'pro' }, language: 'de' })
  expect(ann?.subscriptions).toHaveLength(2)
  expect(ann?.subscriptions.find(({ platform }) => platform === 'ios')).toMatchObject({
    id: one.id,
    token: 'canary-t…',
    appVersion: '4.2',
    optedIn: true,
  })
  const text = JSON.stringify(masked)
  for (const secret of ['of-an-export', keys.auth, keys.p256dh]) expect(text).not.toContain(secret)
  const devices = full.find(({ id }) => id === one.userId)?.subscriptions ?? []
  expect(devices.find(({ platform }) => platform === 'ios')).toMatchObject({ token })
  expect(devices.find(({ platform }) => platform === 'web')).toMatchObject({ endpoint, keys })
})

// spec: administration/export-resumed
test('a user who exists during the whole export is in it exactly once, while others are made, changed and erased', async () => {
  const [appId, other] = [newId(), newId()]
  await givenCrowd(db, { appId, count: 1_700 })
  await givenCrowd(db, { appId: other, count: 30 })
  const { rows } = await sql<{ id: string }>`select id from users where app_id = ${appId} order by id`.execute(db)
  const there = idsOf(rows)
  const [first = '', ...rest] = there
  const erased = [first, rest[700] ?? '', there.at(-1) ?? '']

  const { users, portions } = await all({ appId }, async (n) => {
    await sql`insert into users (id, app_id) select substr(md5(random()::text), 1, 24), ${appId} from generate_series(1, 40)`.execute(db)
    await sql`update users set tags = '{"n": 1}', external_id = 'user-' || id where app_id = ${appId}`.execute(db)
    if (n === 1) {
      await sql`delete from subscriptions where user_id = any(${erased}::text[])`.execute(db)
      await sql`delete from users where id = any(${erased}::text[])`.execute(db)
    }
  })

  expect(portions).toBeGreaterThan(3)
  const ids = idsOf(users)
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  const stayed = there.filter((id) => !erased.includes(id))
  expect(stayed.filter((id) => !ids.includes(id))).toEqual([])
})

// spec: administration/export-resumed
test('an export can be continued after any user', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 600 })
  const ids = idsOf((await all({ appId })).users)

  for (const place of [0, 299, 499, 500, 598]) {
    const { users } = await call(calls.exportUsers, { appId, after: ids[place] ?? '', addresses: 'masked' })
    expect(idsOf(users)).toEqual(ids.slice(place + 1, place + 501))
  }
  expect(await call(calls.exportUsers, { appId, after: ids.at(-1) ?? '', addresses: 'masked' })).toEqual({ users: [], next: null })
})

// spec: administration/export-everybody
test('an export with a segment has exactly the users with a reachable device in it, even after empty portions', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 12_000 })
  const { rows } = await sql<{ id: string }>`
    update users set country = 'AT' where id in (select id from users where app_id = ${appId} order by id desc limit 3) returning id`.execute(
    db,
  )
  const definition = { field: 'country', op: 'eq', value: 'AT' }
  const { id: segmentId } = await call(calls.createSegment, { appId, segment: { name: 'Austrians', definition } })

  expect(idsOf((await all({ appId, segmentId })).users)).toEqual(idsOf(rows).toSorted())
  await expect(all({ appId, segmentId: newId() })).rejects.toMatchObject({ code: 'not_found' })
})

test('portions of an export are shorter when users have many tags and devices, and no user is lost', async () => {
  const appId = newId()
  const tags = JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`tag-${n}`, 'ü'.repeat(1_000)])))
  await sql`
    insert into users (id, app_id, tags) select lpad(to_hex(n), 24, '0'), ${appId}, ${tags}::jsonb from generate_series(1, 40) n`.execute(
    db,
  )
  await sql`
    insert into subscriptions (id, app_id, user_id, platform, address, address_hash)
    select substr(md5(${appId} || n || d), 1, 24), ${appId}, lpad(to_hex(n), 24, '0'), 'ios', repeat('t', 4096), sha256(convert_to(${appId} || n || ' ' || d, 'UTF8'))
    from generate_series(1, 3) n, generate_series(1, 100) d`.execute(db)

  const { users, portions } = await all({ appId, addresses: 'full' })

  expect(portions).toBeGreaterThan(5)
  expect(idsOf(users)).toHaveLength(40)
  expect(new Set(idsOf(users)).size).toBe(40)
  expect(users.flatMap(({ subscriptions }) => subscriptions)).toHaveLength(300)
})

test('a portion of an export, at the beginning or the end of a large app, reads few rows, by indexes', async () => {
  const [appId, large] = [newId(), newId()]
  await givenCrowd(db, { appId: large, count: 30_000 })
  await givenCrowd(db, { appId, count: 30_000, platform: 'android' })
  for (const table of ['users', 'subscriptions']) await sql`analyze ${sql.table(table)}`.execute(db)
  const { rows } = await sql<{ id: string }>`select id from users where app_id = ${appId} order by id offset 29000 limit 1`.execute(db)

  for (const after of [null, rows[0]?.id ?? '']) {
    const looks = await looksOf<Tables>(config.DATABASE_URL_AUDIENCE, (fresh) =>
      exportUsers({ db: fresh, lastNotified: async () => true }, { appId, after, addresses: 'full' }),
    )
    expect(looks.flatMap(({ scanned }) => scanned)).toEqual([])
    // A portion reads 500 users and 500 devices, and for each about a dozen pages of the database.
    expect(Math.max(...looks.map(({ pages }) => pages))).toBeLessThan(10_000)
  }
})
