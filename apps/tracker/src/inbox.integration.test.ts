import {
  eraseTrackerOfApp,
  eraseTrackerOfUser,
  hideInboxItem,
  markInbox,
  readInbox,
  recordOutcomes,
  reportQueued,
  trackEvents,
} from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import type { MarkInbox } from '@herald/contracts/inbox'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { beforeAll, expect, test } from 'vitest'
import { deleteOldMarks } from './store/inbox.ts'
import type { Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenOutcome,
  givenOutcomes,
  givenTracker,
  outcomesOf,
  reportOf,
  type Push,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let dispatcher: Awaited<ReturnType<typeof givenPeer>>
let audience: Awaited<ReturnType<typeof givenPeer>>
let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  dispatcher = await givenPeer('dispatcher', natsUrl)
  audience = await givenPeer('audience', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

type Person = { appId: string; userId: string; subscriptionIds: string[] }
const givenPerson = (devices = 1): Person => ({ appId: newId(), userId: newId(), subscriptionIds: Array.from({ length: devices }, newId) })

/** A send to the person's devices, and to so many others that they share a row of the ledger. */
async function givenSent(person: Person, { inbox = true, others = 0, ...end }: Partial<Push> & { inbox?: boolean; others?: number } = {}) {
  const campaign = { ...givenCampaign(), appId: person.appId }
  const pushes = person.subscriptionIds.map((subscriptionId) => givenOutcome({ userId: person.userId, subscriptionId, ...end }))
  const batches = batchesOf(campaign, [...pushes, ...givenOutcomes(others)])
  await audience.call(reportQueued, { reports: [{ ...reportOf(campaign, batches), ...(inbox && { inbox: true as const }) }] })
  for (const batch of batches) await dispatcher.call(recordOutcomes, { batches: [outcomesOf(batch)] })
  return campaign
}
const read = (person: Person, { limit = 20, cursor }: { limit?: number; cursor?: string } = {}) =>
  caller.call(readInbox, { ...person, days: 30, limit, ...(cursor && { cursor }) })
const idsOf = async (person: Person) => (await read(person)).items.map(({ campaignId }) => campaignId)
const mark = ({ appId, userId }: Person, asked: MarkInbox) => caller.call(markInbox, { appId, userId, mark: asked })

// spec: inbox/list
test.each([0, 40])('two devices of a person make one item of a send, newest send first; %i others are in the batch', async (others) => {
  const person = givenPerson(2)
  const first = await givenSent(person, { others })
  await givenSent(person, { others, inbox: false })
  const second = await givenSent(person, { others })

  const { items, unread, nextCursor } = await read(person)
  expect(items.map(({ campaignId }) => campaignId)).toEqual([second.campaignId, first.campaignId].toSorted().toReversed())
  expect(items[0]).toMatchObject({ variant: null, readAt: null, opened: false })
  expect([unread, nextCursor]).toEqual([2, null])
})

// spec: inbox/owner
test('an inbox has nothing that was sent to another person on the same device', async () => {
  const person = givenPerson()
  await givenSent({ ...person, userId: newId() })
  expect(await idsOf(person)).toEqual([])
  expect(await idsOf({ ...person, appId: newId() })).toEqual([])
})

// spec: inbox/outcomes
test('what failed, or was skipped though readable, is an item; what was left or cancelled is not', async () => {
  const person = givenPerson()
  const shown = [
    await givenSent(person, { outcome: 'failed', code: 'token_dead' }),
    ...(await Promise.all(
      (['opted_out', 'invalidated', 'expired', 'frequency_cap', 'quiet_hours'] as const).map((code) =>
        givenSent(person, { outcome: 'skipped', code }),
      ),
    )),
  ]
  for (const code of ['unsubscribed', 'cancelled', 'deleted', 'owner_changed', 'empty_content'] as const)
    await givenSent(person, { outcome: 'skipped', code })
  expect((await idsOf(person)).toSorted()).toEqual(shown.map(({ campaignId }) => campaignId).toSorted())
})

// spec: inbox/list
test('pages follow one another without a gap and without a repeat, whatever device a send went to', async () => {
  const person = givenPerson(3)
  const sends: string[] = []
  for (let place = 0; place < 12; place += 1) {
    const some = { ...person, subscriptionIds: person.subscriptionIds.filter((_, device) => place % 3 === device || place % 4 === 0) }
    sends.push((await givenSent(some, { others: place % 2 === 0 ? 0 : 30 })).campaignId)
  }
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await read(person, { limit: 5, ...(cursor && { cursor }) })
    seen.push(...page.items.map(({ campaignId }) => campaignId))
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  expect(seen).toEqual(sends.toSorted().toReversed())
})

// spec: inbox/read
test('an item read twice keeps its first time; it can be made unread; a foreign id changes nothing', async () => {
  const person = givenPerson()
  const send = await givenSent(person)
  const plain = await givenSent(person, { inbox: false })
  await mark(person, { ids: [send.campaignId, plain.campaignId, newId()] })
  const { items, unread } = await read(person)
  expect(unread).toBe(0)
  await mark(person, { ids: [send.campaignId] })
  expect((await read(person)).items).toEqual(items)
  await mark(person, { ids: [send.campaignId], read: false })
  expect((await read(person)).items[0]?.readAt).toBeNull()
  const rows = await db.selectFrom('inbox_reads').select('campaign_id').where('user_id', '=', person.userId).execute()
  expect(rows).toEqual([{ campaign_id: send.campaignId }])
})

// spec: inbox/read
test('all means what was sent up to a moment, but for what is made unread afterwards', async () => {
  const person = givenPerson()
  const first = await givenSent(person)
  await mark(person, { all: true })
  const second = await givenSent(person)
  const isRead = async () => Object.fromEntries((await read(person)).items.map(({ campaignId, readAt }) => [campaignId, readAt !== null]))
  expect(await isRead()).toEqual({ [first.campaignId]: true, [second.campaignId]: false })
  await mark(person, { all: true, before: '2020-01-01T00:00:00.000Z' })
  await mark(person, { ids: [first.campaignId], read: false })
  expect(await isRead()).toEqual({ [first.campaignId]: false, [second.campaignId]: false })
  await mark(person, { all: true })
  expect(await isRead()).toEqual({ [first.campaignId]: true, [second.campaignId]: true })
  await mark(person, { all: true, read: false })
  expect((await read(person)).unread).toBe(2)
})

// spec: inbox/hide
test('a hidden item does not come back', async () => {
  const person = givenPerson()
  const [gone, stays] = [await givenSent(person), await givenSent(person)]
  const { appId, userId } = person
  await caller.call(hideInboxItem, { appId, userId, campaignId: gone.campaignId })
  await caller.call(hideInboxItem, { appId, userId, campaignId: newId() })
  await mark(person, { all: true })
  expect(await idsOf(person)).toEqual([stays.campaignId])
})

// spec: inbox/item
test('an item says that a device opened or clicked it', async () => {
  const person = givenPerson(2)
  const send = await givenSent(person)
  const [subscriptionId = ''] = person.subscriptionIds
  await caller.call(trackEvents, { engagements: [givenEngagement(send, { kind: 'clicked', userId: person.userId, subscriptionId })] })
  expect((await read(person)).items).toMatchObject([{ opened: true }])
})

// spec: inbox/erased
test('the marks of an erased person and of an erased app go, and none is written afterwards', async () => {
  const [person, other] = [givenPerson(), givenPerson()]
  const rowsOf = async ({ userId }: Person) => [
    ...(await db.selectFrom('inbox_reads').select('user_id').where('user_id', '=', userId).execute()),
    ...(await db.selectFrom('inbox_marks').select('user_id').where('user_id', '=', userId).execute()),
  ]
  for (const one of [person, other]) {
    const send = await givenSent(one)
    const marking = async () => {
      await mark(one, { ids: [send.campaignId] })
      await mark(one, { all: true })
    }
    await marking()
    expect(await rowsOf(one)).toHaveLength(2)
    if (one === person) await audience.call(eraseTrackerOfUser, { appId: one.appId, userId: one.userId })
    else while (!(await caller.call(eraseTrackerOfApp, { appId: one.appId })).done);
    await marking()
    expect(await rowsOf(one)).toEqual([])
  }
})

test('marks older than every item are deleted, younger ones stay', async () => {
  const person = givenPerson()
  const send = await givenSent(person)
  await mark(person, { ids: [send.campaignId] })
  await mark(person, { all: true })
  expect(await deleteOldMarks(db, 90)).toBe(0)
  expect(await deleteOldMarks(db, -1)).toBeGreaterThanOrEqual(2)
})
