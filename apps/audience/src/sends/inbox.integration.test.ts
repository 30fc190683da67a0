import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readInboxOwner } from '../people/read-inbox-owner.ts'
import { fanOutAll, givenDevice, givenSend, openAudience } from '../testing/rig.ts'
import { dryRun } from './dry-run.ts'
import { openStarting } from './start-sends.ts'

const { audience, db, peers } = await openAudience()

/** Three devices of three users: one that is sent to, one that has opted out, and an invalidated one. */
async function givenThree() {
  const appId = newId()
  const [open, optedOut, dead] = [await givenDevice(db, { appId }), await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  await sql`update subscriptions set opted_in = false where id = ${optedOut.id}`.execute(db)
  await sql`update subscriptions set opted_in = false, invalidated_at = now() where id = ${dead.id}`.execute(db)
  return { appId, open, optedOut, dead }
}
async function endsOf(campaignId: string) {
  const batches = await db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).execute()
  const decided = batches.flatMap((batch) => batch.decided ?? [])
  return {
    sent: batches.flatMap((batch) => batch.subscription_ids).filter((id) => !decided.some(({ subscriptionId }) => subscriptionId === id)),
    skipped: decided.map(({ subscriptionId, code }) => `${subscriptionId} ${code}`),
  }
}
async function sendTo(appId: string, change: Partial<FrozenSend>, target: FrozenTarget) {
  const campaignId = peers.givenCampaign(givenSend(appId, change), target)
  await fanOutAll(audience, campaignId)
  return endsOf(campaignId)
}

// spec: inbox/opted-out
test('a send with an inbox queues opted-out devices too and skips them; another send, and an invalidated device, do not', async () => {
  const { appId, open, optedOut, dead } = await givenThree()
  const targets: FrozenTarget[] = [
    { kind: 'all' },
    { kind: 'segment', segment: { field: 'sessionCount', op: 'gte', value: 0 } },
    { kind: 'userIds', userIds: [open.userId, optedOut.userId, dead.userId] },
  ]
  for (const target of targets) {
    expect(await sendTo(appId, { inbox: true }, target)).toEqual({ sent: [open.id], skipped: [`${optedOut.id} opted_out`] })
    expect(await sendTo(appId, {}, target)).toEqual({ sent: [open.id], skipped: [] })
  }
})

// spec: inbox/opted-out
test('of small sends that begin together only those with an inbox queue opted-out devices', async () => {
  const { appId, open, optedOut } = await givenThree()
  const sends = [givenSend(appId, { inbox: true }), givenSend(appId, {}), givenSend(appId, { inbox: true })]
  const subscriptionIds = [open.id, optedOut.id]
  await openStarting(audience, () => undefined)(sends.map((send) => ({ send, target: { kind: 'subscriptionIds', subscriptionIds } })))

  const [first, plain, last] = await Promise.all(sends.map(({ campaignId }) => endsOf(campaignId)))
  expect(first).toEqual({ sent: [open.id], skipped: [`${optedOut.id} opted_out`] })
  expect(plain).toEqual({ sent: [open.id], skipped: [] })
  expect(last).toEqual(first)
})

// spec: inbox/opted-out, sending/dry-run
test('a dry run counts the opted-out devices that the send skips', async () => {
  const { appId } = await givenThree()
  const asked = { appId, target: { kind: 'all' } as const, startsAt: null, samples: { subscriptionIds: [] } }
  for (const limits of [undefined, { exactUpTo: 0, sampled: 1_000_000 }]) {
    const tried = await dryRun(audience, { ...asked, send: givenSend(appId, { inbox: true }) }, limits)
    expect(tried.skips.map(({ reason, devices }) => [reason, devices])).toEqual([['opted_out', 1]])
    expect(tried.toSend).toBe(1)
    expect((await dryRun(audience, { ...asked, send: givenSend(appId, {}) }, limits)).skips).toEqual([])
  }
})

// spec: inbox/item
test('the owner of an inbox is read with all values that texts may name, also on an opted-out device', async () => {
  const { appId, optedOut } = await givenThree()
  await sql`update users set external_id = 'ann', tags = '{"plan": "gold"}', language = 'de', timezone = 'Europe/Vienna' where id = ${optedOut.userId}`.execute(
    db,
  )
  const read = await readInboxOwner(db, { appId, of: { subscriptionId: optedOut.id } })
  expect(read).toMatchObject({
    user: { id: optedOut.userId, externalId: 'ann' },
    subscriptionIds: [optedOut.id],
    reader: { address: '', keys: null, language: 'de', timezone: 'Europe/Vienna', tags: { plan: 'gold' }, user: { externalId: 'ann' } },
  })
  expect(await readInboxOwner(db, { appId, of: { externalId: 'ann' } })).toEqual(read)
  await expect(readInboxOwner(db, { appId: newId(), of: { subscriptionId: optedOut.id } })).rejects.toMatchObject({ code: 'not_found' })
})
