import type { SendWave, TagUses } from '@herald/contracts/calls/audience'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { onDatabase } from '../chaos/platform.ts'
import { givenDevices, ok, sendCampaign, untilSettled, textOf } from './campaigns.ts'

const herald = await sharedPlatform()
const tenant = await givenTenant(herald)

/** Opens the stream of an app's events. `events` gives what has arrived so far. */
async function watch(appId: string): Promise<{ events: () => WebhookEvent[]; isOpen: () => boolean; leave: () => void }> {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const response = await fetch(`${herald.baseUrl}/v1/admin/apps/${appId}/events`, {
    headers: { authorization: `Bearer ${herald.adminToken}` },
    signal: gone.signal,
  })
  expect(response.status).toBe(200)
  let text = ''
  const reading = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part
  }
  void reading().catch(() => undefined)
  return {
    events: () => [...text.matchAll(/event: event\ndata: (.*)\n\n/g)].map(([, data = '']) => JSON.parse(data) as WebhookEvent),
    isOpen: () => text.includes('event: watching\n'),
    leave: () => gone.abort(),
  }
}
const listenersOf = (appId: string) =>
  onDatabase(herald, async (client) => {
    const { rows } = await client.query<{ types: string[] }>('select event_types as types from tracker.listeners where app_id = $1', [
      appId,
    ])
    return rows[0]?.types ?? []
  })

// spec: administration/events
test('an operator who watches an app sees what happens to a send as it happens, without any endpoint; before the operator watches, and a while after, no listener is stored for the app', async () => {
  const [device] = await givenDevices(tenant, 'ios', 1, () => ({ externalId: 'watched' }))
  expect(await listenersOf(tenant.appId)).toEqual([])
  const stream = await watch(tenant.appId)
  await until(() => stream.isOpen())
  expect(await listenersOf(tenant.appId)).toEqual(['*'])

  const sent = ok(
    await tenant.call<{ id: string }>('POST', '/v1/notifications', {
      target: { externalIds: ['watched'] },
      content: textOf('A secret text'),
    }),
    202,
  )
  await until(() => stream.events().length >= 2)
  const about = { appId: tenant.appId, campaignId: sent.id }
  expect(stream.events().find(({ type }) => type === 'campaign.completed')).toMatchObject(about)
  expect(stream.events().find(({ type }) => type === 'notification.sent')).toMatchObject({
    ...about,
    subscriptionId: device?.id,
    userId: device?.userId,
    externalId: 'watched',
    platform: 'ios',
  })
  const shown = JSON.stringify(stream.events())
  expect(shown).not.toContain(device?.device.token)
  expect(shown).not.toContain('A secret text')

  stream.leave()
  // Waits until the watch's lease of 30 seconds has ended.
  await until(async () => (await listenersOf(tenant.appId)).length === 0, { withinMs: 120_000, what: 'no listener' })
}, 180_000)

// spec: administration/pushes-csv, administration/waves, administration/tags
test('an operator can load the pushes of a send as CSV, and see the send’s wave and the tags of the app’s users', async () => {
  const own = await givenTenant(herald)
  const devices = await givenDevices(own, 'android', 30, (n) => ({
    externalId: `user-${n}`,
    tags: { plan: n < 10 ? 'pro' : 'free', orders: n },
  }))
  const campaignId = await sendCampaign(own, {}, 'sending')
  await untilSettled(own, campaignId)

  const { items: waves } = ok(await own.admin<{ items: SendWave[] }>('GET', `/campaigns/${campaignId}/waves`), 200)
  expect(waves).toMatchObject([{ no: 1, zones: null, state: 'done', queued: 30, byPlatform: { ios: 0, android: 30, web: 0 } }])

  const csv = ok(await own.admin<string>('GET', `/pushes.csv?campaignId=${campaignId}&outcome=sent`), 200)
  const [names, ...lines] = csv.trimEnd().split('\r\n')
  expect(names?.split(',').slice(0, 2)).toEqual(['campaignId', 'subscriptionId'])
  expect(lines.map((line) => String(line.split(',')[1])).toSorted()).toEqual(devices.map(({ id }) => id).toSorted())
  expect(ok(await own.admin<string>('GET', `/pushes.csv?platform=ios`), 200).trimEnd()).toBe(names)

  const { items: tags, ...counted } = ok(await own.admin<{ items: TagUses['tags'] }>('GET', '/tags'), 200)
  expect(counted).toMatchObject({ exact: true, users: 30, sample: 30 })
  expect(tags).toMatchObject([
    { name: 'orders', type: 'number', users: 30 },
    { name: 'plan', type: 'string', users: 30, values: ['free', 'pro'] },
  ])
})
