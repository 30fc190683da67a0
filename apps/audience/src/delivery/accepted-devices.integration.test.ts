import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { heard, used, withCircuits, type Letter } from '../testing/circuits.ts'
import { givenSend, openAudience, type Taken } from '../testing/rig.ts'

const rig = await openAudience()
const { db } = rig
const { takeOne, finish, givenBatch, givenPhones, circuitOf, invalidated, openBatches, letTimePass, expireLease } = withCircuits(rig)
const host = 'push.example'

/** Sends to all browsers of an app until every push has ended. The browsers in `foreign` refuse the key, all others accept. Gives the ends of pushes. */
async function send(appId: string, foreign: ReadonlySet<string>, only: (id: string) => boolean = () => true) {
  const ends: { subscriptionId: string; code: string; attempts: number }[] = []
  const lettersOf = ({ recipients }: Taken) => recipients.map(({ subscriptionId }): Letter => (foreign.has(subscriptionId) ? 'w' : 's'))
  const first = await takeOne(await givenBatch(appId, givenSend(appId)), used())
  const asked = { ...first, recipients: first.recipients.filter(({ subscriptionId }) => only(subscriptionId)) }
  await finish(heard(asked, lettersOf(asked), used(), host))
  for (let round = 0; round < 4; round += 1) {
    await letTimePass(appId, 60)
    for (const { id } of await openBatches(appId)) {
      const taken = await takeOne(id, used())
      ends.push(...taken.decided.map(({ subscriptionId, code, attempts }) => ({ subscriptionId, code, attempts })))
      await finish(heard(taken, lettersOf(taken), used(), host))
    }
  }
  expect(await openBatches(appId)).toEqual([])
  return ends
}

const lastAccepted = (appId: string, ago: string) =>
  sql`update accepted_devices set at = now() - ${ago}::interval where app_id = ${appId}`.execute(db)

// spec: providers/accepted-before
test.each([
  [21, 200],
  [40, 3],
  [1, 1],
])('%i browsers of another key beside %i healthy ones open no circuit and are invalidated in the third campaign', async (bad, healthy) => {
  const appId = newId()
  const foreign = new Set((await givenPhones(appId, bad + healthy, 'web')).slice(0, bad))

  for (const [campaign, gone] of [0, 0, bad].entries()) {
    const ends = await send(appId, foreign)
    expect((await circuitOf(appId))?.state).toBe('closed')
    expect(ends.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual([...foreign].toSorted())
    expect(new Set(ends.map(({ code, attempts }) => `${code} ${attempts}`))).toEqual(new Set(['sender_mismatch 3']))
    expect({ campaign, gone: await invalidated(appId) }).toEqual({ campaign, gone: gone === 0 ? [] : [...foreign].toSorted() })
  }
})

// spec: providers/accepted-before
test('after a quiet night the refusal of another browser opens no circuit; that of the one accepted last opens it', async () => {
  const appId = newId()
  const [foreign = '', good = ''] = await givenPhones(appId, 2, 'web')
  await send(appId, new Set([foreign]))
  await lastAccepted(appId, '9 hours')

  for (let campaign = 0; campaign < 3; campaign += 1) await send(appId, new Set([foreign]), (id) => id === foreign)
  expect(await invalidated(appId)).toEqual([])
  expect((await circuitOf(appId))?.state).toBe('closed')

  const taken = await takeOne(await givenBatch(appId, givenSend(appId)), used())
  await finish(heard(taken, ['w'], used(), host))
  expect(await circuitOf(appId)).toMatchObject({ state: 'open', code: 'credentials_invalid' })
  expect(await invalidated(appId)).toEqual([])
  expect(
    (await openBatches(appId)).flatMap(({ subscription_ids, tries }) => subscription_ids.map((id) => `${id} ${tries}`)).toSorted(),
  ).toEqual([foreign, good].toSorted().map((id) => `${id} 0`))
})

// spec: providers/probe
test('a probe goes to a device that was accepted before, wherever it stands in its batch', async () => {
  const appId = newId()
  const crowd = await givenPhones(appId, 5, 'web')
  const good = crowd[3] ?? ''
  await send(appId, new Set(crowd.filter((id) => id !== good)))
  const taken = await takeOne(await givenBatch(appId, givenSend(appId)), used())
  await finish(heard(taken, ['c'], used(), host))
  await letTimePass(appId, 60)
  const [held] = await openBatches(appId)

  const probe = await takeOne(held?.id ?? '', used())

  expect([probe.probe, probe.recipients[0]?.subscriptionId]).toEqual([true, good])
  await finish(heard(probe, ['s'], used(), host))
  expect((await circuitOf(appId))?.state).toBe('closed')
})

test('what older credentials met says nothing about newer ones', async () => {
  const appId = newId()
  const [foreign = ''] = await givenPhones(appId, 2, 'web')
  await send(appId, new Set([foreign]))
  const taken = await takeOne(await givenBatch(appId, givenSend(appId)), used(2))
  await finish(
    heard({ ...taken, recipients: taken.recipients.filter(({ subscriptionId }) => subscriptionId === foreign) }, ['w'], used(2), host),
  )
  expect((await circuitOf(appId))?.state).toBe('open')
  await expireLease(taken.batchId)
})

// spec: providers/one-device
test('tokens whose own platform has no credentials at FCM open no circuit, however many there are', async () => {
  const appId = newId()
  await givenPhones(appId, 60)
  const taken = await takeOne(await givenBatch(appId), used())
  await finish(heard(taken, ['t']))
  expect((await circuitOf(appId))?.state).toBe('closed')
  // So many may also mean that the project lost its credentials for this platform: no device is invalidated.
  expect(await invalidated(appId)).toEqual([])
})

// spec: providers/accepted-before
test('a device that gets a new token begins anew with its refused campaigns', async () => {
  const appId = newId()
  const [foreign = ''] = await givenPhones(appId, 3, 'web')
  await send(appId, new Set([foreign]))
  await send(appId, new Set([foreign]))
  await db.updateTable('subscriptions').set({ token_version: 2 }).where('id', '=', foreign).execute()
  await send(appId, new Set([foreign]))
  expect(await invalidated(appId)).toEqual([])
})

// spec: providers/accepted-before
test('the circuit opens when the devices accepted before are refused one after the other, in batches of their own', async () => {
  const appId = newId()
  const crowd = await givenPhones(appId, 3, 'web')
  for (const id of crowd) await send(appId, new Set(), (one) => one === id)
  const states: (string | undefined)[] = []
  for (const id of crowd) {
    const taken = await takeOne(await givenBatch(appId, givenSend(appId)), used())
    await finish(
      heard({ ...taken, recipients: taken.recipients.filter(({ subscriptionId }) => subscriptionId === id) }, ['w'], used(), host),
    )
    states.push((await circuitOf(appId))?.state)
  }
  expect(states).toEqual(['closed', 'closed', 'open'])
  expect(await invalidated(appId)).toEqual([])
})

test('campaigns of more than 30 days ago, and of other credentials, do not count', async () => {
  const appId = newId()
  const [foreign = ''] = await givenPhones(appId, 3, 'web')
  const ago = (days: number) =>
    Math.floor(Date.now() / 1000 - days * 86_400)
      .toString(16)
      .padStart(8, '0') + 'a'.repeat(16)
  await sql`update subscriptions set refused_in = ${[`1.1:${ago(31)}`, `1.2:${ago(1)}`]} where id = ${foreign}`.execute(db)
  await send(appId, new Set([foreign]))
  await send(appId, new Set([foreign]))
  expect(await invalidated(appId)).toEqual([])
  await send(appId, new Set([foreign]))
  expect(await invalidated(appId)).toEqual([foreign])
})
