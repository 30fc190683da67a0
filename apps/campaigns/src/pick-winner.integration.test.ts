import {
  createCampaign,
  getCampaign,
  listCampaigns,
  pickWinner,
  readSend,
  replaceTemplate,
  sendCampaign,
  settleCampaigns,
  unsendCampaign,
  createTemplate,
} from '@herald/contracts/calls/campaigns'
import type { CreateCampaign } from '@herald/contracts/campaign'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { insertRuns } from './store/recurrences.ts'
import { givenCampaign, givenContent, givenExperiment, givenPlatform, type Platform } from './testing/given-campaigns.ts'

const appId = newId()
const day = 86_400_000
const segment = { field: 'country', op: 'eq', value: 'DE' }
let platform: Platform
beforeAll(async () => void (platform = await givenPlatform()))

const draft = async (fields: Partial<CreateCampaign> = {}) =>
  (await platform.gateway.call(createCampaign, { appId, idempotency: null, campaign: givenCampaign(fields) })).id
const pick = (campaignId: string, variant = 'b') => platform.gateway.call(pickWinner, { appId, campaignId, variant, by: 'ann' })
const read = (campaignId: string) => platform.gateway.call(getCampaign, { appId, campaignId })
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'allowed',
    (error: { code: string }) => error.code,
  )
const change = (id: string, fields: { started_at: Date }) => platform.db.updateTable('campaigns').set(fields).where('id', '=', id).execute()

async function sent(fields: Partial<CreateCampaign> = {}): Promise<string> {
  const id = await draft({ experiment: givenExperiment(0.2), segment, ...fields })
  await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
  await until(async () => (await platform.rowOf(id)).started_at, { what: 'the take-over' })
  await platform.gateway.call(settleCampaigns, { campaignIds: [id] })
  return id
}

// spec: experiments/winner, experiments/remainder
test('the winner is a new campaign with the variant’s content, for users outside the frozen segment’s sample', async () => {
  const of = await sent({
    name: 'Autumn sale',
    ttl: 60,
    data: { source: 'parent' },
    overrides: { web: { renotify: true } },
    collapseId: 'news',
  })
  const { id, status } = await pick(of)
  expect(status).toBe('sending')
  expect(await platform.rowOf(id)).toMatchObject({ status: 'sending', remainder_of: of, transactional: false, experiment: null })
  await until(() => platform.pointersAt(id) === 1, { what: 'the pointer' })

  const found = await platform.audience.bus.call(readSend, { campaignId: id })
  expect(found?.target).toEqual({ kind: 'segment', segment })
  expect(found?.send).toMatchObject({
    campaignId: id,
    name: 'Autumn sale – winner B',
    content: givenContent('It is b.'),
    ttl: 60,
    data: { source: 'parent' },
    overrides: { web: { renotify: true } },
    collapseId: 'news',
    experiment: null,
    remainder: { of, sampleRate: 0.2 },
  })
})

// spec: experiments/winner-read, administration/campaign-audience
test('the experiment says who picked which winner and its campaign, which says that it goes to the remainder', async () => {
  const of = await sent({ name: 'x'.repeat(200) })
  expect(await read(of)).toMatchObject({ winner: null })
  const { id } = await pick(of)
  const { name, audience, winner } = await read(id)
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  expect((await read(of)).winner).toEqual({ variant: 'b', campaignId: id, by: 'ann', at, decidedBy: 'person' })
  const { items } = await platform.gateway.call(listCampaigns, { appId, limit: 10 })
  expect(items.find((one) => one.id === of)?.winner).toMatchObject({ campaignId: id })
  const ofAnn = await platform.gateway.call(listCampaigns, { appId, limit: 10, audience: 'remainder', author: 'ann' })
  expect(ofAnn.items.map((one) => one.id)).toContain(id)
  expect({ audience, winner }).toEqual({ audience: { kind: 'remainder', of, sampleRate: 0.2 }, winner: null })
  expect(name).toHaveLength(200)
  expect(name).toMatch(/x – winner B$/)
})

// spec: experiments/winner-delay
test('a winner with a delay is scheduled; taken back, it is gone and another can be picked', async () => {
  const of = await sent()
  const pickIn = (variant: string, delaySeconds: number) =>
    platform.gateway.call(pickWinner, { appId, campaignId: of, variant, by: 'ann', delaySeconds })
  const first = await pickIn('a', 60)
  expect(first.status).toBe('scheduled')
  expect(await read(first.id)).toMatchObject({ status: 'scheduled', nextAt: first.nextAt, schedule: { type: 'now' }, remainderOf: of })
  expect(await codeOf(pickIn('b', 60))).toBe('winner_already_sent')

  expect(await platform.gateway.call(unsendCampaign, { appId, campaignId: first.id })).toEqual({ id: of, status: 'sent' })
  expect(await codeOf(read(first.id))).toBe('not_found')
  expect((await read(of)).winner).toBeNull()
  expect(platform.pointersAt(first.id)).toBe(0)

  const second = await pickIn('b', 1)
  await until(() => platform.pointersAt(second.id) === 1, { what: 'the start' })
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(second.nextAt ?? ''))
  expect(await codeOf(platform.gateway.call(unsendCampaign, { appId, campaignId: second.id }))).toBe('invalid_state')
  expect((await read(of)).winner).toMatchObject({ variant: 'b', campaignId: second.id })
})

// spec: experiments/winner-delay, experiments/winner-frozen
test('a winner that is sent before its delay is over keeps the target of its experiment', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, segment)
  const of = await sent({ segment: undefined, segmentId })
  platform.segments.set(segmentId, {})
  const { id } = await platform.gateway.call(pickWinner, { appId, campaignId: of, variant: 'a', by: 'ann', delaySeconds: 60 })
  expect(await platform.gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })).toEqual({
    status: 'sending',
    nextAt: null,
  })
  expect(await platform.audience.bus.call(readSend, { campaignId: id })).toMatchObject({ target: { kind: 'segment', segment } })
})

// spec: experiments/winner-frozen
test('changing a saved segment and a template after an experiment was sent does not change its winner', async () => {
  const segmentId = newId()
  platform.segments.set(segmentId, segment)
  const template = { name: 'Winner', content: givenContent(), data: { source: 'template' } }
  const { id: templateId } = await platform.gateway.call(createTemplate, { appId, template })
  const of = await sent({ segment: undefined, segmentId, templateId, content: undefined })
  platform.segments.set(segmentId, {})
  await platform.gateway.call(replaceTemplate, { appId, templateId, template: { name: 'Winner', content: givenContent('Other.') } })

  const read = await platform.audience.bus.call(readSend, { campaignId: (await pick(of, 'a')).id })
  expect(read).toMatchObject({
    target: { kind: 'segment', segment },
    send: { content: givenContent('It is a.'), data: { source: 'template' } },
  })
})

// spec: experiments/winner-once
test('of 50 simultaneous requests to pick a winner exactly one is accepted; the others hear that one was sent', async () => {
  const of = await sent()
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => codeOf(pick(of, n % 2 === 0 ? 'a' : 'b'))))
  expect(answers.filter((answer) => answer === 'allowed')).toHaveLength(1)
  expect(answers.filter((answer) => answer === 'winner_already_sent')).toHaveLength(49)
  expect(await platform.db.selectFrom('campaigns').select('id').where('remainder_of', '=', of).execute()).toHaveLength(1)
})

// spec: experiments/winner-checks
test('a winner is refused without an experiment, while sending, when not sent, and for an unknown variant', async () => {
  expect(await codeOf(pick(await draft()))).toBe('not_an_experiment')
  const experiment = givenExperiment()
  for (const [status, code] of [
    ['draft', 'invalid_state'],
    ['scheduled', 'invalid_state'],
    ['active', 'invalid_state'],
    ['cancelled', 'invalid_state'],
    ['failed', 'invalid_state'],
    ['sending', 'still_sending'],
    ['paused', 'still_sending'],
  ] as const) {
    const id = await platform.campaignIn(status, appId, { experiment })
    expect({ status, code: await codeOf(pick(id, 'none')) }).toEqual({ status, code })
  }
  const id = await platform.campaignIn('sent', appId, { experiment })
  await expect(pick(id, 'none')).rejects.toMatchObject({ code: 'unknown_variant', details: [{ path: 'variant' }] })
  expect(await codeOf(platform.gateway.call(pickWinner, { appId: newId(), campaignId: id, variant: 'a', by: null }))).toBe('not_found')
})

// spec: experiments/no-remainder
test('no winner can be sent when the sample was everyone, or when the tracker no longer keeps the outcomes', async () => {
  expect(await codeOf(pick(await sent({ experiment: givenExperiment(1) })))).toBe('no_remainder')
  const old = await sent()
  await change(old, { started_at: new Date(Date.now() - 91 * day) })
  expect(await codeOf(pick(old))).toBe('no_remainder')
  await change(old, { started_at: new Date(Date.now() - 90 * day) })
  expect(await codeOf(pick(old))).toBe('allowed')
})

// spec: experiments/recurring
test('a run of a recurring experiment can have a winner once it is sent, and the recurrence cannot', async () => {
  const schedule = { type: 'recurring', every: 'day', localTime: '09:00', timezone: 'UTC' } as const
  const parent = await draft({ experiment: givenExperiment(), schedule })
  await platform.gateway.call(sendCampaign, { appId, campaignId: parent, defaultTimezone: 'UTC' })
  const [run = ''] = await insertRuns(platform.db, [{ id: newId(), recurringOf: parent, localDate: '2026-11-21' }])
  expect(await codeOf(pick(run))).toBe('still_sending')
  await platform.gateway.call(settleCampaigns, { campaignIds: [run] })
  expect(await codeOf(pick(run))).toBe('allowed')
  expect(await codeOf(pick(parent))).toBe('invalid_state')
})
