import {
  cancelCampaign,
  changeRate,
  createTemplate,
  duplicateCampaign,
  getCampaign,
  listCampaigns,
  readSend,
  recallCampaign,
  resolveSend,
  sendCampaign,
  settleCampaigns,
  unsendCampaign,
} from '@herald/contracts/calls/campaigns'
import { dropFromInboxes, readStats } from '@herald/contracts/calls/tracker'
import type { CampaignStatus, Stats } from '@herald/contracts/stats'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Recall } from '@herald/contracts/recall'
import { noStats } from '@herald/contracts/stats'
import { givenPeer } from '@herald/testing/given-peer'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { fingerprintOf, givenContent, givenExperiment, givenPlatform, type Platform } from './testing/given-campaigns.ts'

let platform: Platform
/** The campaigns that the tracker took out of inboxes. While `isAway` it refuses. */
const tracker = { left: [] as string[], isAway: false, stats: { ...noStats, queued: 3, sent: 2, failed: 1 } satisfies Stats }
beforeAll(async () => {
  platform = await givenPlatform()
  const bus = await givenPeer('tracker', platform.natsUrl)
  bus.answer(readStats, async () => ({ stats: tracker.stats }))
  bus.answer(dropFromInboxes, async ({ campaignId }) => {
    if (tracker.isAway) throw queueUnavailable()
    tracker.left.push(campaignId)
    return {}
  })
})

const replace: Recall = { mode: 'replace', content: givenContent('Correction.') }
const recall = (appId: string, campaignId: string, body: Recall = replace, key?: string) =>
  platform.gateway.call(recallCampaign, {
    appId,
    campaignId,
    idempotency: key === undefined ? null : { key, fingerprint: fingerprintOf(body.mode) },
    recall: body,
  })
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => 'allowed',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  )
const statusIs = (id: string, status: CampaignStatus) =>
  until(async () => (await platform.rowOf(id)).status === status || undefined, { what: `${id} is ${status}` })
const settle = (id: string) => platform.gateway.call(settleCampaigns, { campaignIds: [id] })

// spec: recall/once, recall/modes
test('a recall of a send under way cancels it; one of two processes begins the follow-up after the last outcome', async () => {
  const appId = newId()
  const id = await platform.campaignIn('sending', appId)
  const { id: followUp, status } = await recall(appId, id)

  expect(status).toBe('scheduled')
  expect(await platform.rowOf(id)).toMatchObject({ status: 'sending', cancelling: true })
  expect(await platform.rowOf(followUp)).toMatchObject({ status: 'scheduled', due_at: null, recall_of: id })
  expect(await platform.gateway.call(getCampaign, { appId, campaignId: followUp })).toMatchObject({ recallOf: id, nextAt: null })
  await settle(id)

  await statusIs(followUp, 'sending')
  await until(() => platform.pointersAt(followUp) === 1, { what: 'the pointer' })
  expect(await platform.rowOf(id)).toMatchObject({ status: 'cancelled' })
})

// spec: recall/quiet, recall/exempt, recall/identity
test('a replacement has the first’s identity, data and category, the template’s text, no sound, badge, overrides, rate or inbox', async () => {
  const appId = newId()
  const id = await platform.campaignIn('sent', appId, {
    collapseId: 'sale',
    data: { order: '7' },
    presentation: { sound: 'bell', badgeIncrement: 1, threadId: 'sale' },
    overrides: { ios: { aps: { sound: 'bell' } } },
    experiment: givenExperiment(),
    sendRate: { perMinute: 600 },
    inbox: true,
    priority: 'normal',
    ttl: 0,
  })
  const template = { name: 'Correction', content: givenContent('From the template.'), data: { order: 'none' }, silent: true }
  const { id: templateId } = await platform.gateway.call(createTemplate, { appId, template })

  const { id: followUp } = await recall(appId, id, { mode: 'replace', templateId, skipOpened: false })
  await statusIs(followUp, 'sending')
  const found = await platform.audience.bus.call(readSend, { campaignId: followUp })

  expect(found?.target).toEqual({ kind: 'reached', of: id, skipOpened: false })
  expect(found?.send).toMatchObject({
    content: givenContent('From the template.'),
    silent: false,
    collapseId: 'sale',
    data: { order: '7' },
    presentation: { sound: 'none', interruptionLevel: 'passive', threadId: 'sale' },
    priority: 'high',
    ttl: 2_419_200,
    experiment: null,
    recall: {
      of: id,
      mode: 'replace',
      variants: [
        { id: 'a', weight: 1 },
        { id: 'b', weight: 1 },
      ],
    },
  })
  for (const field of ['overrides', 'sendRate', 'inbox']) expect(found?.send).not.toHaveProperty(field)
  expect(found?.send.presentation).not.toHaveProperty('badgeIncrement')
})

// spec: recall/inbox
test('a dismissed campaign leaves the inboxes before its follow-up begins, also when the tracker was away', async () => {
  const appId = newId()
  const id = await platform.campaignIn('sent', appId, { inbox: true })
  tracker.isAway = true
  const { id: followUp } = await recall(appId, id, { mode: 'dismiss' })
  await platform.gateway.call(getCampaign, { appId, campaignId: followUp })
  expect((await platform.rowOf(followUp)).status).toBe('scheduled')
  tracker.isAway = false

  await statusIs(followUp, 'sending')
  expect(tracker.left).toContain(id)
})

// spec: recall/once
test('of recalls at the same moment one is accepted; after its cancel or end the campaign can be recalled again', async () => {
  const appId = newId()
  const id = await platform.campaignIn('sending', appId)
  const answers = await Promise.allSettled([1, 2, 3, 4].map(() => recall(appId, id)))
  const [accepted, ...others] = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.id] : []))
  expect(others).toEqual([])

  await platform.gateway.call(cancelCampaign, { appId, campaignId: accepted! })
  const again = await recall(appId, id, { mode: 'dismiss' })
  await settle(id)
  await statusIs(again.id, 'sending')
  expect((await platform.rowOf(accepted!)).status).toBe('cancelled')
  expect(await refusal(recall(appId, id))).toContain('Another recall')
  await settle(again.id)
  const third = await recall(appId, id)

  const { items } = await platform.gateway.call(listCampaigns, { appId, limit: 20 })
  expect(items.filter(({ recallOf }) => recallOf === id).map((one) => one.id)).toEqual([third.id, again.id, accepted])
})

// spec: recall/idempotent
test('a repeat with the same key gets the first answer, also after the end; the key is its request’s', async () => {
  const appId = newId()
  const id = await platform.campaignIn('sending', appId)
  const stopped = await recall(appId, id, { mode: 'stop' }, 'stop')
  expect(stopped).toEqual({ id, status: 'sending', replayed: false })
  await settle(id)
  expect(await recall(appId, id, { mode: 'stop' }, 'stop')).toEqual({ ...stopped, replayed: true })
  expect(await refusal(recall(appId, id, { mode: 'stop' }))).toContain('invalid_state')

  const first = await recall(appId, id, replace, 'replace')
  expect(await recall(appId, id, replace, 'replace')).toEqual({ ...first, replayed: true })
  expect(await refusal(recall(appId, id, { mode: 'dismiss' }, 'replace'))).toContain('idempotency_key_reused')
})

// spec: recall/refused
test('a campaign of another app, older than 28 days, or with a push still open, is not recalled', async () => {
  const appId = newId()
  const id = await platform.campaignIn('sent', appId)
  const begin = (daysAgo: number) =>
    platform.db
      .updateTable('campaigns')
      .set({ started_at: new Date(Date.now() - daysAgo * 86_400_000) })
      .where('id', '=', id)
      .execute()
  await begin(28.1)
  expect(await refusal(recall(appId, id))).toBe('invalid_state: The campaign began more than 28 days ago. Send a new one to correct it.')
  expect(await refusal(recall(newId(), id))).toContain('not_found')
  await begin(27.9)
  expect(await refusal(recall(appId, id))).toBe('allowed')

  const failed = await platform.campaignIn('failed', appId)
  tracker.stats = { ...noStats, queued: 3, sent: 1 }
  expect(await refusal(recall(appId, failed))).toContain('Try again in a moment')
  tracker.stats = { ...noStats, queued: 3, failed: 3 }
  expect(await refusal(recall(appId, failed))).toContain('Nothing of the campaign was sent')
  tracker.stats = { ...noStats, queued: 3, sent: 3 }
})

// spec: recall/once
test('a follow-up that waits cannot be sent, taken back, duplicated, dry-run or given a rate, and the answers say why', async () => {
  const appId = newId()
  const id = await platform.campaignIn('sending', appId)
  const { id: campaignId } = await recall(appId, id)
  const one = { appId, campaignId }

  expect(await refusal(platform.gateway.call(sendCampaign, { ...one, defaultTimezone: 'UTC' }))).toContain('begins by itself')
  expect(await refusal(platform.gateway.call(unsendCampaign, one))).toContain('Cancel it instead')
  expect(await refusal(platform.gateway.call(changeRate, { ...one, perMinute: 60 }))).toContain('A recall obeys no rate')
  expect(await refusal(platform.gateway.call(duplicateCampaign, one))).toContain('invalid_state')
  expect(await refusal(platform.gateway.call(resolveSend, { ...one, defaultTimezone: 'UTC' }))).toContain(id)
  expect(await platform.rowOf(campaignId)).toMatchObject({ status: 'scheduled', due_at: null })
})
