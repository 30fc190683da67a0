import {
  changeRate,
  createCampaign,
  createTemplate,
  duplicateCampaign,
  endCampaign,
  fanOutStarted,
  getCampaign,
  pauseCampaign,
  readSend,
  sendNotification,
  sendTest,
} from '@herald/contracts/calls/campaigns'
import { findTestDevices } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { campaignStatuses } from '@herald/contracts/stats'
import { until } from '@herald/testing/until'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { statusesThatAllow } from './core/campaign.ts'
import { givenCampaign, givenContent, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))
beforeEach(() => void Object.assign(platform.audience, { takesOver: true, isAway: false }))

const change = (campaignId: string, perMinute: number | null, ofApp = appId) =>
  platform.gateway.call(changeRate, { appId: ofApp, campaignId, perMinute })
const read = (campaignId: string) => platform.audience.bus.call(readSend, { campaignId })
const told = (id: string) =>
  platform.audience.flows.filter(({ campaignId }) => campaignId === id).map(({ flow, no, perMinute }) => [flow, no, perMinute])
const rateOf = async (campaignId: string) => (await platform.gateway.call(getCampaign, { appId, campaignId })).sendRate

// spec: sending/rate
test('a send, campaign and template take a rate; the template’s is the default, and a rate goes by pointer', async () => {
  const sendRate = { perMinute: 600 }
  const notification = givenNotification({ sendRate })
  const { id } = await platform.gateway.call(sendNotification, { appId, idempotency: null, notification })
  await until(() => platform.pointersAt(id) === 1, { what: 'the pointer' })
  expect((await read(id))?.send.sendRate).toEqual(sendRate)
  expect(platform.audience.handedOver.filter(({ send }) => send.campaignId === id)).toEqual([])

  const template = { name: `Slow ${id}`, content: givenContent(), sendRate: { perMinute: 120 } }
  const { id: templateId, sendRate: ofTemplate } = await platform.gateway.call(createTemplate, { appId, template })
  expect(ofTemplate).toEqual({ perMinute: 120 })
  for (const [fields, expected] of [
    [{}, { perMinute: 120 }],
    [{ sendRate }, sendRate],
  ] as const) {
    const campaign = { ...givenCampaign(fields), templateId }
    const made = await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign })
    expect(await rateOf(made.id)).toEqual(expected)
    expect((await platform.gateway.call(duplicateCampaign, { appId, campaignId: made.id })).sendRate).toEqual(expected)
  }
})

// spec: sending/rate
test('a test waits for no rate', async () => {
  platform.audience.bus.answer(findTestDevices, async ({ selector }) => ({
    devices: ('subscriptionIds' in selector ? selector.subscriptionIds : []).map((subscriptionId) => ({
      subscriptionId,
      platform: 'ios' as const,
      unreachable: null,
    })),
  }))
  const test = { content: givenContent(), subscriptionIds: [newId()], sendRate: { perMinute: 60 } }
  const { id } = await platform.gateway.call(sendTest, { appId, idempotency: null, test })
  expect((await read(id))?.send).not.toHaveProperty('sendRate')
})

// spec: sending/rate-changed
test('the rate can be changed in every status but the ended ones, and the status stays', async () => {
  for (const status of campaignStatuses) {
    const id = await platform.campaignIn(status, appId)
    const answer = await change(id, 6_000).catch((error: { code: string }) => error.code)
    const isAllowed = statusesThatAllow('changeRate').includes(status)
    expect([status, typeof answer === 'string' ? answer : answer.perMinute]).toEqual([status, isAllowed ? 6_000 : 'invalid_state'])
    expect((await platform.rowOf(id)).status).toBe(status)
    expect(await rateOf(id)).toEqual(isAllowed ? { perMinute: 6_000 } : null)
  }
  await expect(change(newId(), 600)).rejects.toMatchObject({ code: 'not_found' })
  await expect(change(await platform.campaignIn('draft', appId), 600, newId())).rejects.toMatchObject({ code: 'not_found' })
})

// spec: sending/rate-changed
test('audience has heard of a changed rate before the answer with the rest’s time; no rate is told as 0', async () => {
  const id = await platform.campaignIn('sending', appId)
  expect(await change(id, 600)).toEqual({ perMinute: 600, etaSeconds: 120 })
  expect(await change(id, 60)).toEqual({ perMinute: 60, etaSeconds: 1_200 })
  expect(await change(id, null)).toEqual({ perMinute: null, etaSeconds: null })
  expect(told(id)).toEqual([
    ['running', 1, 600],
    ['running', 2, 60],
    ['running', 3, 0],
  ])
  expect(await rateOf(id)).toBeNull()
  expect((await read(id))?.send).not.toHaveProperty('sendRate')
  expect((await platform.rowOf(id)).flow_due_at).toBeNull()

  await change(id, 120)
  await platform.gateway.call(pauseCampaign, { appId, campaignId: id })
  await until(() => told(id).length === 5, { what: 'the pause' })
  expect(told(id).at(-1)).toEqual(['paused', 5, 120])
  expect(await platform.audience.bus.call(fanOutStarted, { campaignIds: [id] })).toEqual({
    flows: [{ flow: 'paused', no: 5, perMinute: 120 }],
  })
  await platform.gateway.call(endCampaign, { appId, campaignId: id })
  await expect(change(id, 600)).rejects.toMatchObject({ code: 'invalid_state' })
})

// spec: sending/rate-changed
test('a change of the rate that audience cannot hear of is answered, and told as soon as audience is back', async () => {
  const id = await platform.campaignIn('sending', appId)
  platform.audience.isAway = true
  expect(await change(id, 600)).toEqual({ perMinute: 600, etaSeconds: null })
  platform.audience.isAway = false
  await platform.db.updateTable('campaigns').set({ flow_due_at: new Date() }).where('id', '=', id).execute()
  await until(async () => (await platform.rowOf(id)).flow_due_at === null, { what: 'the answer of audience', withinMs: 10_000 })
  expect(told(id).at(-1)).toEqual(['running', 1, 600])
})

// spec: sending/rate-changed
test('a recurrence gives a changed rate to its next runs, and audience is told of nothing', async () => {
  const id = await platform.campaignIn('active', appId)
  expect(await change(id, 600)).toEqual({ perMinute: 600, etaSeconds: null })
  await platform.gateway.call(pauseCampaign, { appId, campaignId: id })
  expect(await change(id, 900)).toEqual({ perMinute: 900, etaSeconds: null })
  expect(told(id)).toEqual([])
  expect((await platform.rowOf(id)).flow_no).toBe(0)
})
