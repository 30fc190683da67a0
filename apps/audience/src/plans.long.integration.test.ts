import { defaultSettings } from '@herald/contracts/app'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { RegisterSubscription } from '@herald/contracts/subscription'
import { freshDatabase } from '@herald/testing/database'
import { openPlans, type Scan } from '@herald/testing/plans'
import { settingsForKeptPlans } from '@herald/service/kept-plans'
import { settingsForWork } from '@herald/service/postgres'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeOwner, changeUser, changeUsers } from './people/change-users.ts'
import { deleteSubscription } from './people/delete-subscription.ts'
import { deleteUser } from './people/delete-user.ts'
import { explainDevices, findDevicesOf } from './sends/explain-devices.ts'
import { loginSubscription, logoutSubscription } from './people/login-logout.ts'
import { openPeopleTurns } from './people/people-turns.ts'
import { openRegistrations, registerSubscription } from './people/register-subscription.ts'
import { rotateSubscription } from './people/rotate-subscription.ts'
import { patchSubscription, startSession } from './people/store/subscriptions.ts'
import { findTestDevices, markTestDevice } from './people/test-devices.ts'
import type { Db, Tables } from './store/tables.ts'
import { importLot } from './people/import-lot.ts'
import { cancelImport, startImport } from './people/manage-import.ts'
import { findUserId } from './people/store/users.ts'
import { givenCrowd, givenSend } from './testing/rig.ts'

const database = await freshDatabase()
const plans = await openPlans<Tables>(database.ownerUrl, 'audience', settingsForWork)
const keptPlans = await openPlans<Tables>(database.ownerUrl, 'audience', `${settingsForWork} ${settingsForKeptPlans}`)
afterAll(() => Promise.all([plans.close(), keptPlans.close()]))

const watched = new Set([
  'users',
  'subscriptions',
  'last_notified',
  'abandoned_users',
  'erased_apps',
  'gone_devices',
  'test_devices',
  'former_devices',
])
/** A user in this test has at most this many devices: a statement that reads more rows has read rows of other users. */
const mostRows = 5

const keys = { p256dh: 'key', auth: 'auth' }
const endpoint = () => `https://push.example/${newId()}`

/** Registers new and known devices: some stay with their user, some move to another user, some get a new user. */
async function registerEveryWay(
  registerOne: (asked: Parameters<typeof registerSubscription>[1]) => Promise<{ id: string; userId: string }>,
  appId: string,
) {
  const browser = (change: Partial<RegisterSubscription> = {}) =>
    ({ platform: 'web', endpoint: endpoint(), keys, ...change }) as RegisterSubscription
  const register = (subscription: RegisterSubscription) => registerOne({ appId, subscription, keyKind: 'public' })
  const [ann, bob] = [newId(), newId()]
  const first = browser({ externalId: ann, tags: { plan: 'pro' } })
  const { id: subscriptionId, userId } = await register(first)
  await register(first)
  await register({ ...first, externalId: bob })
  const second = browser()
  const other = await register(second)
  await register({ ...second, externalId: bob })
  const third = browser()
  await register(third)
  await register({ ...third, externalId: newId() })
  await register(browser({ externalId: bob }))
  return { ann, bob, first, subscriptionId, userId, other }
}

/** Asks why one device got a send or did not. */
function explainOne(db: Db, appId: string, subscriptionId: string) {
  const send = givenSend(appId)
  const leaves = ['tags.plan', 'language', 'appVersion', 'lastNotifiedAt'].map((field) => ({ field, op: 'exists', value: true }))
  const settings = { ...defaultSettings, frequencyCap: { max: 1, windowSeconds: 60 } }
  const target = { kind: 'segment' as const, segment: { or: leaves } }
  const asked = { appId, campaignId: send.campaignId, begins: true, startedAt: null, send, target, settings }
  return explainDevices({ db }, { ...asked, devices: [{ subscriptionId, no: null }] })
}

/** Makes many kinds of requests about one device or one user. */
async function everyWay(db: Db, appId: string): Promise<void> {
  const { ann, bob, first, subscriptionId, userId, other } = await registerEveryWay((asked) => registerSubscription({ db }, asked), appId)
  await loginSubscription({ db }, { appId, subscriptionId: other.id, externalId: ann, keyKind: 'public' })
  await logoutSubscription({ db }, { appId, subscriptionId })
  await changeOwner({ db }, { appId, subscriptionId, changes: { language: 'de' }, keyKind: 'secret' })
  await changeUser({ db }, { appId, user: { externalId: ann }, changes: { country: 'DE' } })
  await changeUser({ db }, { appId, user: { userId }, changes: { country: 'DE' } })
  await changeUsers({ db }, { appId, users: [{ externalId: ann, country: 'AT' }, { userId, country: 'FR' }, { externalId: newId() }] })
  await patchSubscription(db, { appId, subscriptionId, changes: { optedIn: false } })
  await startSession(db, { appId, subscriptionId, session: {} })
  await findUserId(db, appId, { externalId: bob })
  await findDevicesOf({ db }, { appId, user: { userId } })
  await explainOne(db, appId, subscriptionId)
  const rotated = { endpoint: endpoint(), keys }
  if (first.platform === 'web') await rotateSubscription({ db }, { appId, rotation: { old: first.endpoint, new: rotated } })
  for (const id of [subscriptionId, other.id]) await markTestDevice({ db }, { appId, subscriptionId: id, test: true })
  await findTestDevices(db, { appId, selector: { subscriptionIds: [subscriptionId, other.id] } })
  await findTestDevices(db, { appId, selector: { externalIds: [ann] } })
  for (const onExisting of ['keep', 'update'] as const) await importOne(db, appId, { onExisting, externalIds: [ann, newId()] })
  await deleteSubscription({ db }, { appId, subscriptionId })
  await deleteUser({ db, poke: () => undefined }, { appId, user: { externalId: ann } })
}

/** Imports two rows: a new device, and the same device with another user. */
async function importOne(db: Db, appId: string, { onExisting, externalIds }: { onExisting: 'keep' | 'update'; externalIds: string[] }) {
  for (const dryRun of [true, false]) {
    const { id } = await startImport(
      { db },
      { appId, settings: { format: 'jsonl', onExisting, dryRun, web: 'skip', assumeOptedIn: false } },
    )
    const token = newId()
    const rows = externalIds.map((externalId, place) => ({
      row: place + 1,
      device: { platform: 'ios' as const, token, externalId, tags: { plan: 'pro' } },
    }))
    const lot = { offset: 0, nextOffset: 9, firstRow: 1, rows, rejected: [], warnings: {}, columnOf: { externalId: null, tags: null } }
    await importLot({ db }, { appId, importId: id, lot })
    await cancelImport({ db }, { appId, importId: id })
  }
}

const wrongOf = (scans: Scan[]): string[] => [
  ...new Set(
    scans
      .filter(({ table, index, rows }) => watched.has(table) && (index === undefined || rows > mostRows))
      .map(
        ({ table, index, rows, sql: text }) =>
          `${table} by ${index ?? 'nothing'}: ${rows} rows, in ${text.replaceAll(/\s+/g, ' ').slice(0, 80)}`,
      ),
  ),
]

const [large, growing] = [newId(), newId()]

beforeAll(async () => {
  await plans.of(async (db) => {
    // Until the third test analyses the tables, the planner's statistics are those of empty ones.
    for (const table of watched) await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db)
    for (const table of watched) await sql`vacuum (analyze) ${sql.table(table)}`.execute(db)
  })
})

test('a registration reads few rows at 40,000 devices with a plan that Postgres made and kept for empty tables', async () => {
  const appId = newId()
  const registerInCompany = (frequentDb: Db) =>
    registerEveryWay(openRegistrations({ db: plans.db, frequentDb }, { maxWaiting: 100, full: queueUnavailable }, openPeopleTurns()), appId)
  expect(wrongOf(await keptPlans.of(registerInCompany))).toEqual([])
  await plans.of((db) => givenCrowd(db, { appId, count: 40_000, platform: 'android' }))
  expect(wrongOf(await keptPlans.of(registerInCompany))).toEqual([])
}, 60_000)

test('requests about one device or user read few rows at 40,000 devices with the planner’s statistics of empty tables', async () => {
  // All requests are made six times, because from the sixth run on Postgres keeps the plans of statements of foreign keys and triggers.
  for (let n = 0; n < 6; n += 1) expect(wrongOf(await plans.of((db) => everyWay(db, growing)))).toEqual([])

  await plans.of((db) => givenCrowd(db, { appId: growing, count: 300 }))
  expect(wrongOf(await plans.of((db) => everyWay(db, growing)))).toEqual([])

  await plans.of((db) => givenCrowd(db, { appId: growing, count: 40_000, platform: 'android' }))
  expect(wrongOf(await plans.of((db) => everyWay(db, growing)))).toEqual([])
})

test('requests for an app missing in the planner’s statistics read few rows, while these have another large app', async () => {
  await plans.of((db) => givenCrowd(db, { appId: large, count: 20_000, platform: 'android' }))
  await plans.of(async (db) => {
    for (const table of watched) await sql`analyze ${sql.table(table)}`.execute(db)
  })
  const added = newId()
  await plans.of((db) => givenCrowd(db, { appId: added, count: 20_000 }))

  expect(wrongOf(await plans.of((db) => everyWay(db, added)))).toEqual([])
})
