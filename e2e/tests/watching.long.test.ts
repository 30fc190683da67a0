import type { WebhookEvent } from '@herald/contracts/webhook'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { onDatabase } from '../chaos/platform.ts'
import { givenDevices, ok, textOf } from './campaigns.ts'

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
test('an operator who watches an app sees a send as it happens, without endpoints; afterwards no listener is stored', async () => {
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
