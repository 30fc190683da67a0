import { getCampaign } from '@herald/contracts/calls/campaigns'
import { readApp } from '@herald/contracts/calls/gateway'
import { countExperiment, countUplift } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { beforeAll, expect, test } from 'vitest'
import { givenCampaign } from '../../testing/peer-answers.ts'
import { startGateway, type GatewayUnderTest } from '../../testing/start-gateway.ts'
import { startPeers, type Peers } from '../../testing/start-peers.ts'

let gateway: GatewayUnderTest
let peers: Peers
let audience: Awaited<ReturnType<typeof givenPeer>>
let appId: string
beforeAll(async () => {
  const [{ url }, nats] = await Promise.all([freshDatabase(), freshNats()])
  peers = await startPeers(nats)
  gateway = await startGateway({ database: url('gateway'), nats })
  audience = await givenPeer('audience', nats)
  appId = (await gateway.givenApp()).appId
})

const content = { _default: 'en', en: { title: 'Hi', body: 'There' } }
const experiment = { sampleRate: 0.5, variants: ['a', 'b'].map((id) => ({ id, name: id, weight: 1, content })) }
const counted = {
  ...{ asOf: '2026-02-01T08:00:00.000Z', fannedOut: true, appRate: 0.05 },
  variants: [
    { id: 'a', assigned: 1_000, sent: 1_000, events: 50 },
    { id: 'b', assigned: 1_000, sent: 1_000, events: 150 },
  ],
}
const read = (path: string) => gateway.admin('GET', `/apps/${appId}${path}`)
const asked = (subject: string) => peers.asked.findLast((one) => one.subject === subject)?.request

// spec: experiments/report, experiments/decided-by
test('the report of an experiment has rates, comparisons and a test, and is final once a winner is picked', async () => {
  const id = newId()
  const winner = { variant: 'b', campaignId: newId(), by: null, at: '2026-02-01T08:00:00.000Z', decidedBy: 'significance' }
  peers.answers.set(getCampaign.subject, () => ({ ...givenCampaign, id, status: 'sent', experiment, winner: null }))
  peers.answers.set(countExperiment.subject, () => counted)
  const { status, body } = await read(`/campaigns/${id}/experiment?metric=conversion&conversion=order`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ metric: 'conversion', final: false, decided: true, decidedBy: null, sampleRatio: { p: 1, ok: true } })
  expect(body['comparisons']).toMatchObject([{ a: 'a', b: 'b', upliftPercent: expect.closeTo(200, 8) as number }])
  expect(asked(countExperiment.subject)).toMatchObject({
    campaignId: id,
    metric: 'conversion',
    conversion: 'order',
    variants: [{ id: 'a', weight: 1 }, {}],
  })
  peers.answers.set(getCampaign.subject, () => ({ ...givenCampaign, id, status: 'sent', experiment, winner }))
  expect((await read(`/campaigns/${id}/experiment`)).body).toMatchObject({ metric: 'open', final: true, decidedBy: 'significance' })

  for (const [query, path] of [
    ['metric=sales', 'metric'],
    ['metric=conversion', 'conversion'],
    ['conversion=order', 'conversion'],
  ] as const)
    expect((await read(`/campaigns/${id}/experiment?${query}`)).body).toMatchObject({ error: { details: [{ path }] } })
  peers.answers.set(countExperiment.subject, () => null)
  expect(await read(`/campaigns/${id}/experiment`)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
  peers.answers.set(getCampaign.subject, () => ({ ...givenCampaign, id }))
  expect(await read(`/campaigns/${id}/experiment`)).toMatchObject({ status: 409, body: { error: { code: 'not_an_experiment' } } })
})

// spec: experiments/holdout
test('a hold-out says since when it holds, keeps that with another percent, and is drawn anew on request', async () => {
  const settingsOf = async () => (await gateway.admin('GET', `/apps/${appId}`)).body['settings'] as { holdout: { since: string } | null }
  const set = (holdout: unknown) => gateway.admin('PATCH', `/apps/${appId}`, { settings: { holdout } })
  expect((await settingsOf()).holdout).toBeNull()
  expect(await gateway.admin('POST', `/apps/${appId}/holdout/redraw`)).toMatchObject({
    status: 409,
    body: { error: { code: 'invalid_state' } },
  })
  for (const wrong of [{ percent: 0.05 }, { percent: 21 }, {}, { percent: 5, since: '2026-01-01T00:00:00.000Z' }])
    expect((await set(wrong)).status).toBe(422)

  expect((await set({ percent: 5 })).status).toBe(200)
  const first = (await settingsOf()).holdout
  expect(first).toEqual({ percent: 5, since: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string, generation: 1 })
  await set({ percent: 10 })
  expect((await settingsOf()).holdout).toEqual({ ...first, percent: 10 })

  const redrawn = await gateway.admin('POST', `/apps/${appId}/holdout/redraw`)
  const second = { percent: 10, since: redrawn.body['since'], generation: 2 }
  expect((await settingsOf()).holdout).toEqual(second)
  expect(String(second.since) > String(first?.since)).toBe(true)
  expect((await audience.call(readApp, { appId })).app?.settings.holdout).toEqual(second)
  await set(null)
  await set({ percent: 10 })
  expect((await settingsOf()).holdout).toMatchObject({ generation: 2 })
  const { items } = (await gateway.admin('GET', `/apps/${appId}/audit?action=holdout.redrawn`)).body as { items: unknown[] }
  expect(items).toHaveLength(1)
})

// spec: experiments/uplift
test('the uplift of a campaign or of the hold-out compares both groups, and a time before the hold-out is refused', async () => {
  await gateway.admin('PATCH', `/apps/${appId}`, { settings: { holdout: { percent: 10 } } })
  const id = newId()
  peers.answers.set(getCampaign.subject, () => ({ ...givenCampaign, id }))
  peers.answers.set(countUplift.subject, () => ({
    treated: { users: 900, converted: 90 },
    control: { users: 100, converted: 5 },
    final: false,
  }))
  expect((await read(`/campaigns/${id}/uplift?conversion=order&windowHours=48`)).body).toMatchObject({
    treated: { users: 900, converted: 90, rate: 0.1 },
    control: { users: 100, converted: 5, rate: 0.05 },
    upliftPercent: expect.closeTo(100, 8) as number,
    final: false,
  })
  expect(asked(countUplift.subject)).toEqual({ appId, conversion: 'order', of: { campaignId: id, windowHours: 48 } })
  expect((await read(`/holdout/uplift?conversion=order`)).status).toBe(200)
  for (const [path, at] of [
    [`/holdout/uplift?conversion=order&from=2020-01-01T00:00:00Z`, 'from'],
    [`/holdout/uplift?conversion=order&to=2020-01-01T00:00:00Z`, 'to'],
    [`/holdout/uplift`, 'conversion'],
    [`/campaigns/${id}/uplift?conversion=order&windowHours=721`, 'windowHours'],
  ] as const)
    expect(await read(path)).toMatchObject({ status: 422, body: { error: { details: [{ path: at }] } } })
  await gateway.admin('PATCH', `/apps/${appId}`, { settings: { holdout: null } })
  expect(await read(`/holdout/uplift?conversion=order`)).toMatchObject({ status: 409 })
})
