import {
  createCampaign,
  endCampaign,
  fanOutStarted,
  getCampaign,
  pauseCampaign,
  readCampaign,
  readSend,
  resumeCampaign,
  sendCampaign,
  sendNotification,
  settleCampaigns,
} from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { campaignStatuses, type CampaignStatus } from '@herald/contracts/stats'
import { until } from '@herald/testing/until'
import { beforeEach, beforeAll, expect, test } from 'vitest'
import { nextStatus, type CampaignAction } from './core/campaign.ts'
import { givenCampaign, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))
beforeEach(() => void Object.assign(platform.audience, { takesOver: true, isAway: false }))

const draft = async () => (await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign() })).id
const asked = {
  pause: (campaignId: string) => platform.gateway.call(pauseCampaign, { appId, campaignId }),
  resume: (campaignId: string) => platform.gateway.call(resumeCampaign, { appId, campaignId }),
  end: (campaignId: string) => platform.gateway.call(endCampaign, { appId, campaignId }),
}
const settle = (campaignId: string) => platform.gateway.call(settleCampaigns, { campaignIds: [campaignId] })
const read = (campaignId: string) => platform.audience.bus.call(readSend, { campaignId })
const flowsOf = (id: string) => platform.audience.flows.filter(({ campaignId }) => campaignId === id).map(({ flow, no }) => `${flow} ${no}`)
const isTold = (id: string) => until(async () => (await platform.rowOf(id)).flow_due_at === null, { what: 'the answer of audience' })

async function underWay(): Promise<string> {
  const id = await draft()
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  await until(() => platform.audience.rows.has(id), { what: 'the take-over' })
  return id
}
/** Makes a send that audience has got a pointer to and has not started. */
async function pointedAt(): Promise<string> {
  platform.audience.takesOver = false
  const id = await draft()
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  await until(() => platform.pointersAt(id) === 1, { what: 'the pointer' })
  return id
}

// spec: campaigns/pause, campaigns/resume, campaigns/cancel-under-way
test('an operator can pause, resume or cancel a campaign in exactly the statuses that allow it', async () => {
  const actions: [keyof typeof asked, CampaignAction[]][] = [
    ['pause', ['pause', 'pauseRecurring']],
    ['resume', ['resume']],
    ['end', ['cancel', 'askCancel']],
  ]
  for (const [name, meant] of actions) {
    for (const status of campaignStatuses) {
      const id = await platform.campaignIn(status, appId)
      const after = meant.flatMap((action) => nextStatus(status, action) ?? [])[0]
      const answer = await asked[name](id).then(
        (answered) => answered.status,
        (error: { code: string }) => error.code,
      )
      expect({ name, status, answer }).toEqual({ name, status, answer: after ?? 'invalid_state' })
      expect((await platform.rowOf(id)).status).toBe(after ?? status)
    }
  }
})

test('pausing, resuming or cancelling an unknown campaign or another app’s is answered not_found', async () => {
  const id = await underWay()
  for (const contract of [pauseCampaign, resumeCampaign, endCampaign])
    for (const one of [
      { appId: newId(), campaignId: id },
      { appId, campaignId: newId() },
    ])
      await expect(platform.gateway.call<typeof one, unknown>(contract, one)).rejects.toMatchObject({ code: 'not_found' })
  expect((await platform.rowOf(id)).status).toBe('sending')
})

test('audience is told of each pause, resume and cancel of a send, numbered 1, 2, 3', async () => {
  const id = await underWay()
  await asked.pause(id)
  await until(() => flowsOf(id).length === 1, { what: 'the pause' })
  await isTold(id)
  await asked.resume(id)
  await until(() => flowsOf(id).length === 2, { what: 'the resume' })
  await isTold(id)
  await asked.end(id)
  await until(() => flowsOf(id).length === 3, { what: 'the cancel' })
  expect(flowsOf(id)).toEqual(['paused 1', 'running 2', 'cancelled 3'])
})

test('campaigns tells audience of the last change of a send until audience has answered', async () => {
  const id = await underWay()
  platform.audience.isAway = true
  await asked.pause(id)
  await until(() => flowsOf(id).length === 1, { what: 'the first try' })
  await asked.resume(id)
  await until(() => flowsOf(id).length === 2, { what: 'the second change' })
  expect((await platform.rowOf(id)).flow_due_at).not.toBeNull()
  platform.audience.isAway = false
  await isTold(id)
  expect(flowsOf(id).slice(2)).toEqual(['running 2'])
})

// spec: campaigns/pause
test('audience gets no paused send to fan out, and a paused send whose pushes all have outcomes ends as sent', async () => {
  const id = await underWay()
  await asked.pause(id)
  expect(await read(id)).toBeNull()
  await settle(id)
  expect(await platform.rowOf(id)).toMatchObject({ status: 'sent', flow_due_at: null, settled_at: expect.any(Date) })
  await expect(asked.resume(id)).rejects.toMatchObject({ code: 'invalid_state' })
})

// spec: campaigns/cancel-under-way
test('a send that is being cancelled keeps its status until its last push has an outcome, and is cancelled then', async () => {
  for (const before of ['sending', 'paused'] as const) {
    const id = await underWay()
    if (before === 'paused') await asked.pause(id)
    expect(await asked.end(id)).toEqual({ status: before })
    expect(await platform.gateway.call(readCampaign, { appId, campaignId: id })).toMatchObject({ status: before, cancelling: true })
    expect(await read(id)).toBeNull()
    // A cancel cannot be undone, and asking for it again is answered the same.
    for (const action of ['pause', 'resume'] as const) await expect(asked[action](id)).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await asked.end(id)).toEqual({ status: before })
    await isTold(id)
    expect(flowsOf(id).filter((flow) => flow.startsWith('cancelled'))).toHaveLength(1)

    await settle(id)
    expect(await platform.gateway.call(getCampaign, { appId, campaignId: id })).toMatchObject({ status: 'cancelled', cancelling: false })
    await expect(asked.end(id)).rejects.toMatchObject({ code: 'invalid_state' })
  }
})

test('a send cancelled before audience started it ends at once; audience learns of it if it starts later', async () => {
  const id = await pointedAt()
  expect(await asked.end(id)).toEqual({ status: 'sending' })
  await until(async () => (await platform.rowOf(id)).status === 'cancelled', { what: 'the end' })
  expect(await platform.rowOf(id)).toMatchObject({ due_at: null, flow_due_at: null, settled_at: expect.any(Date) })
  expect(await platform.audience.bus.call(fanOutStarted, { campaignIds: [id] })).toEqual({ flows: [{ flow: 'cancelled', no: 1 }] })
  await settle(id)
  expect((await platform.rowOf(id)).status).toBe('cancelled')
})

test('a send paused before audience has started it waits, and audience gets a new pointer when it is resumed', async () => {
  const id = await pointedAt()
  await asked.pause(id)
  await isTold(id)
  expect(await platform.rowOf(id)).toMatchObject({ status: 'paused', due_at: null })
  expect(platform.pointersAt(id)).toBe(1)

  platform.audience.takesOver = true
  await asked.resume(id)
  await until(() => platform.audience.rows.has(id), { what: 'the take-over' })
  expect(platform.audience.rows.get(id)).toEqual({ flow: 'running', no: 2 })
  expect((await read(id))?.send.campaignId).toBe(id)
})

test('when audience starts a send that was paused meanwhile, the answer tells it of the pause', async () => {
  const id = await pointedAt()
  await asked.pause(id)
  expect(await platform.audience.bus.call(fanOutStarted, { campaignIds: [id] })).toEqual({ flows: [{ flow: 'paused', no: 1 }] })
  expect(await platform.audience.bus.call(fanOutStarted, { campaignIds: [newId()] })).toEqual({ flows: [null] })
  const pointers = platform.pointersAt(id)
  await asked.resume(id)
  await until(() => flowsOf(id).at(-1) === 'running 2', { what: 'the resume' })
  // Audience has a fan-out row of the send, so it is told that the send goes on, and gets no pointer.
  expect(await platform.rowOf(id)).toMatchObject({ status: 'sending', due_at: null })
  expect(platform.pointersAt(id)).toBe(pointers)
})

test('a notification that is cancelled before its fan-out loses the users that it named', async () => {
  platform.audience.takesOver = false
  const { id } = await platform.gateway.call(sendNotification, { appId, idempotency: null, notification: givenNotification() })
  await asked.end(id)
  await until(async () => (await platform.rowOf(id)).status === 'cancelled', { what: 'the end' })
  expect((await platform.rowOf(id)).target).toEqual({ kind: 'forgotten', by: 'externalIds', count: 1 })
})

// spec: campaigns/flow-last-word
test('of 100 sends paused, cancelled and settled at once, those whose cancel was accepted end cancelled, the others sent', async () => {
  const ids: string[] = []
  for (let n = 0; n < 100; n += 1) ids.push(await draft())
  for (const campaignId of ids) await platform.gateway.call(sendCampaign, { appId, campaignId, defaultTimezone: 'UTC' })
  await until(() => ids.every((id) => platform.audience.rows.has(id)), { what: 'audience has taken all of them over' })
  const ended = new Map<string, boolean>()
  await Promise.all(
    ids.flatMap((id) => [
      asked.pause(id).catch(() => undefined),
      asked.end(id).then(
        () => ended.set(id, true),
        () => ended.set(id, false),
      ),
      settle(id),
    ]),
  )
  for (const id of ids) {
    const expected: CampaignStatus = ended.get(id) ? 'cancelled' : 'sent'
    expect((await platform.rowOf(id)).status).toBe(expected)
  }
})
