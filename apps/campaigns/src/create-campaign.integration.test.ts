import {
  createCampaign,
  readCampaign,
  readSend,
  replaceTemplate,
  createTemplate,
  sendCampaign,
  sendNotification,
} from '@herald/contracts/calls/campaigns'
import type { CreateCampaign } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import { beforeAll, expect, test } from 'vitest'
import { fingerprintOf, givenCampaign, givenContent, givenNotification, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
const day = 86_400_000
const daysFromNow = (days: number) => new Date(Date.now() + days * day).toISOString()
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const create = (campaign: CreateCampaign, idempotency: { key: string; fingerprint: string } | null = null) =>
  platform.gateway.call(createCampaign, { appId, idempotency, campaign })
const refused = async (campaign: CreateCampaign) => {
  const error: unknown = await create(campaign).catch((reason: unknown) => reason)
  return error as { code?: string; details?: { path: string }[] }
}

// spec: campaigns/create
test('creating a campaign makes a draft and sends nothing', async () => {
  const { id, status, replayed } = await create(givenCampaign({ name: 'Autumn sale' }))
  expect({ status, replayed }).toEqual({ status: 'draft', replayed: false })
  expect(await platform.gateway.call(readCampaign, { appId, campaignId: id })).toMatchObject({
    name: 'Autumn sale',
    status: 'draft',
    transactional: false,
  })
  expect(await platform.rowOf(id)).toMatchObject({ due_at: null, schedule: { type: 'now' }, target: { kind: 'all' } })
  expect(await platform.audience.bus.call(readSend, { campaignId: id })).toBeNull()
  expect(platform.pointersAt(id)).toBe(0)
})

// spec: limits/idempotency-replay
test('50 simultaneous requests with one Idempotency-Key make one draft; a replay gets the same answer even once sent', async () => {
  const same = { key: 'campaign', fingerprint: fingerprintOf('a') }
  const campaign = givenCampaign({ collapseId: 'parallel' })
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => create(campaign, same)))
  const heard = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const others = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
  for (const reason of others) expect(reason).toMatchObject({ code: 'idempotency_in_progress' })
  expect(heard.filter(({ replayed }) => !replayed)).toHaveLength(1)
  expect(await platform.db.selectFrom('campaigns').select('id').where('collapse_id', '=', 'parallel').execute()).toHaveLength(1)

  await platform.gateway.call(sendCampaign, { appId, campaignId: heard[0]?.id ?? '', defaultTimezone: 'UTC' })
  expect(await create(campaign, same)).toEqual({ id: heard[0]?.id, status: 'draft', replayed: true })
})

// spec: limits/idempotency-scope, limits/idempotency-reused
test('an Idempotency-Key that made a campaign is refused for another campaign and for a notification', async () => {
  const key = 'both'
  await create(givenCampaign(), { key, fingerprint: fingerprintOf('a') })
  const reused = { code: 'idempotency_key_reused' }
  await expect(create(givenCampaign(), { key, fingerprint: fingerprintOf('b') })).rejects.toMatchObject(reused)
  const notification = { appId, idempotency: { key, fingerprint: fingerprintOf('c') }, notification: givenNotification() }
  await expect(platform.gateway.call(sendNotification, notification)).rejects.toMatchObject(reused)
})

// spec: campaigns/unknown-references, sending/accept-order
test('a campaign with an unknown or another app’s template or segment is not_found there, and uses no Idempotency-Key', async () => {
  const idempotency = { key: 'unknown', fingerprint: fingerprintOf('a') }
  const template = { name: 'Theirs', content: givenContent() }
  const { id: theirs } = await platform.gateway.call(createTemplate, { appId: newId(), template })
  for (const fields of [{ templateId: newId() }, { templateId: theirs }, { segmentId: newId() }])
    await expect(create(givenCampaign(fields), idempotency)).rejects.toMatchObject({
      code: 'not_found',
      details: [{ path: Object.keys(fields)[0] }],
    })
  expect((await create(givenCampaign(), { ...idempotency, fingerprint: fingerprintOf('b') })).replayed).toBe(false)
})

// spec: content/template-copied
test('a draft copies its template when it is made: replacing the template later does not change the draft', async () => {
  const saved = { name: 'Copied', content: givenContent('First.'), ttl: 600, data: { source: 'template' } }
  const { id: templateId } = await platform.gateway.call(createTemplate, { appId, template: saved })
  const { id } = await create({ name: 'Copy', schedule: { type: 'now' }, templateId, ttl: 60 })
  await platform.gateway.call(replaceTemplate, { appId, templateId, template: { name: 'Copied', content: givenContent('Second.') } })
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })

  const read = await platform.audience.bus.call(readSend, { campaignId: id })
  expect(read?.send).toMatchObject({
    name: 'Copy',
    content: givenContent('First.'),
    ttl: 60,
    data: { source: 'template' },
    transactional: false,
  })
})

// spec: campaigns/at, campaigns/user-timezone-passed, campaigns/recurring-until
test('times over 365 days ahead, and passed dates and `until`, are refused with the field’s name', async () => {
  const recurring = { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'Europe/Berlin' } as const
  const tooFar = await refused(givenCampaign({ schedule: { type: 'at', at: daysFromNow(366) } }))
  expect(tooFar).toMatchObject({ code: 'invalid_body', details: [{ path: 'schedule.at' }] })
  const over = await refused(givenCampaign({ schedule: { ...recurring, until: daysFromNow(-1) } }))
  expect(over).toMatchObject({ code: 'invalid_body', details: [{ path: 'schedule.until' }] })
  for (const days of [-3, 367]) {
    const wrong = await refused(
      givenCampaign({ schedule: { type: 'user_timezone', localTime: '09:00', date: daysFromNow(days).slice(0, 10) } }),
    )
    expect(wrong).toMatchObject({ code: 'invalid_body', details: [{ path: 'schedule.date' }] })
  }
  for (const at of [daysFromNow(-400), daysFromNow(364)])
    expect((await create(givenCampaign({ schedule: { type: 'at', at } }))).status).toBe('draft')
})

// spec: content/too-large-at-create, experiments/content
test('content too large for a platform is refused, in drafts and variants too, and the error names the locale', async () => {
  const entry = {
    title: 'Order',
    body: 'Ready.',
    url: `https://example.com/${'x'.repeat(2_000)}`,
    image: `https://example.com/${'y'.repeat(2_000)}`,
  }
  const large = { _default: 'de', de: entry }
  const variant = (id: string, content: typeof large | ReturnType<typeof givenContent>) => ({ id, name: id, weight: 1, content })
  expect((await refused(givenCampaign({ content: large }))).details?.[0]?.path).toBe('content.de')
  const experiment = { sampleRate: 0.5, variants: [variant('a', givenContent()), variant('b', large)] }
  expect((await refused(givenCampaign({ experiment }))).details?.[0]?.path).toBe('experiment.variants.1.content.de')
})

// spec: experiments/not-silent
test('an experiment whose template makes the send silent is refused', async () => {
  const template = { name: 'Silent', content: givenContent(), silent: true }
  const { id: templateId } = await platform.gateway.call(createTemplate, { appId, template })
  const variant = (id: string) => ({ id, name: id, weight: 1, content: givenContent() })
  const experiment = { sampleRate: 0.5, variants: [variant('a'), variant('b')] }
  expect(await refused(givenCampaign({ templateId, experiment }))).toMatchObject({
    code: 'invalid_body',
    details: [{ path: 'experiment' }],
  })
  expect((await create(givenCampaign({ templateId, experiment, silent: false }))).status).toBe('draft')
})
