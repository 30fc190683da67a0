import {
  createCampaign,
  explainCampaign,
  pauseCampaign,
  sendCampaign,
  sendNotification,
  settleCampaigns,
} from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { beforeAll, expect, test } from 'vitest'
import { givenCampaign, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
let platform: Platform
beforeAll(async () => {
  platform = await givenPlatform()
  platform.audience.takesOver = true
})

const explain = (campaignId: string, of = appId) => platform.gateway.call(explainCampaign, { appId: of, campaignId })
const draft = async (fields: Parameters<typeof givenCampaign>[0] = {}) =>
  (await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign(fields) })).id
const pro = { field: 'tags.plan', op: 'eq', value: 'pro' }

// spec: administration/explain-waiting
test('explain shows a draft with its segment as now, a send with the frozen one, and a pause’s end', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, pro)
  const id = await draft({ segmentId })
  const segment = { kind: 'segment', segment: pro }
  expect(await explain(id)).toMatchObject({
    status: 'draft',
    startedAt: null,
    target: segment,
    send: { campaignId: id, appId },
    pause: null,
  })

  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  platform.segments.delete(segmentId)
  expect(await explain(id)).toMatchObject({ status: 'sending', target: segment })
  await platform.gateway.call(pauseCampaign, { appId, campaignId: id })
  const { status, pause } = (await explain(id)) ?? {}
  expect(status).toBe('paused')
  expect(Date.parse(pause?.until ?? '') - Date.parse(pause?.since ?? '')).toBe(30 * 86_400_000)
})

test('explain names everyone as target, none when the segment was deleted, and is null for a foreign campaign', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, pro)
  const [toAll, withoutSegment] = [await draft(), await draft({ segmentId })]
  platform.segments.delete(segmentId)
  expect((await explain(toAll))?.target).toEqual({ kind: 'all' })
  expect((await explain(withoutSegment))?.target).toBeNull()
  expect(await explain(newId())).toBeNull()
  expect(await explain(toAll, newId())).toBeNull()
})

// spec: administration/explain-steps
test('a notification that has ended keeps its segment and loses the users that it named', async () => {
  const ended = async (target: SendNotification['target']) => {
    const asked = { appId, idempotency: null, notification: givenNotification({ target }) }
    const { id } = await platform.gateway.call(sendNotification, asked)
    await platform.gateway.call(settleCampaigns, { campaignIds: [id] })
    const { target: kept, forgottenBy } = (await explain(id)) ?? {}
    return { target: kept, forgottenBy }
  }
  expect(await ended({ segment: pro })).toEqual({ target: { kind: 'segment', segment: pro }, forgottenBy: null })
  expect(await ended({ all: true })).toEqual({ target: { kind: 'all' }, forgottenBy: null })
  expect(await ended({ externalIds: ['customer-7'] })).toEqual({ target: null, forgottenBy: 'externalIds' })
  expect(await ended({ userIds: [newId()] })).toEqual({ target: null, forgottenBy: 'userIds' })
})
