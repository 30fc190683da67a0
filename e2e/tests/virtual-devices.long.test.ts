import { http, type Answer, type Herald } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPlatform } from '../platform.ts'

type Device = { id: string; platform: 'ios' | 'android' | 'web'; subscriptionId: string }
type Action = { id: string; title: string; url: string | null }
type Push = {
  deviceId: string
  campaignId: string
  msgId: string
  shown: { title: string; body: string; url: string | null; actions: Action[] } | null
  data: Record<string, string>
  payload: unknown
}
type Stats = { stats: Record<string, number> }

let herald: Herald
let cookie: string
let csrfToken: string
let appId: string
let secretKey: string

/** Makes a request as a page of the dashboard does: with the cookie of its session and no key. */
async function asPage<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
  const headers = {
    cookie,
    origin: herald.baseUrl,
    'sec-fetch-site': 'same-origin',
    ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }),
  }
  return http<Body>(method, `${herald.baseUrl}/v1/admin${path}`, { headers, body })
}
async function ok<Body>(asked: Promise<{ status: number; body: Body }>): Promise<Body> {
  const { status, body } = await asked
  expect([status < 300, status, body]).toEqual([true, status, body])
  return body
}
const statsOf = async (id: string) =>
  (await ok(http<Stats>('GET', `${herald.baseUrl}/v1/campaigns/${id}/stats`, { headers: { authorization: `Bearer ${secretKey}` } }))).stats
const report = (kind: string, { msgId }: Push, query = '') => http('POST', `${herald.baseUrl}/v1/e/${kind}/${msgId}${query}`)

beforeAll(async () => {
  herald = await startPlatform()
  // The sign-in link that `npm start` prints, for a browser to open.
  const link = await until(() => /(http:\S+\/dashboard\/#code=\S+)/.exec(herald.output())?.[1], { what: 'the sign-in link' })
  const signedIn = await http<{ csrfToken: string }>('POST', `${herald.baseUrl}/v1/admin/session`, {
    headers: { origin: herald.baseUrl, 'sec-fetch-site': 'same-origin' },
    body: { code: /#code=([\w-]+)/.exec(link)?.[1], name: 'Dana' },
  })
  if (signedIn.status !== 201) throw new Error(`the sign-in link answered ${signedIn.status}`)
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  csrfToken = signedIn.body.csrfToken
  appId = (await ok(asPage<{ id: string }>('POST', '/apps', { name: 'Shop' }))).id
  secretKey = (await ok(asPage<{ key: string }>('POST', `/apps/${appId}/keys`, { kind: 'secret', name: 'backend' }))).key
  for (const kind of ['apns', 'fcm', 'webpush']) await ok(asPage('POST', '/simulator/accounts', { appId, kind }))
})

const addDevice = (platform: Device['platform'], more: object = {}) =>
  ok(asPage<Device>('POST', '/simulator/devices', { appId, platform, ...more }))
const send = async (subscriptionIds: string[], content: object) =>
  (
    await ok(
      http<{ id: string }>('POST', `${herald.baseUrl}/v1/notifications`, {
        headers: { authorization: `Bearer ${secretKey}` },
        body: { target: { subscriptionIds }, content: { _default: 'en', en: content }, data: { order: '17' } },
      }),
    )
  ).id

/** Opens the stream of the pushes that virtual devices get. `pushes` gives what has arrived so far. */
async function watch(): Promise<{ pushes: () => Push[]; isOpen: () => boolean }> {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const response = await fetch(`${herald.baseUrl}/v1/admin/simulator/stream?appId=${appId}`, { headers: { cookie }, signal: gone.signal })
  let text = ''
  const reading = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part
  }
  void reading().catch(() => undefined)
  return {
    pushes: () => [...text.matchAll(/event: push\ndata: (.*)\n\n/g)].map(([, data = '']) => JSON.parse(data) as Push),
    isOpen: () => text.includes('event: watching\n'),
  }
}

// spec: administration/simulator-devices, administration/simulator-accounts, administration/simulator-stream
test('virtual devices of all platforms get a push and report delivery, and each open, click and dismissal counts', async () => {
  const devices = [
    await addDevice('ios', { name: 'Dana’s iPhone', externalId: 'dana', tags: { plan: 'pro' } }),
    await addDevice('android'),
    await addDevice('web', { language: 'en' }),
  ]
  const stream = await watch()
  await until(() => stream.isOpen())

  const action = { id: 'track', title: 'Track it', url: 'https://shop.example/track' }
  const content = { title: 'Shipped', body: 'On its way', url: 'https://shop.example/orders/17', actions: [action] }
  const campaignId = await send(
    devices.map(({ subscriptionId }) => subscriptionId),
    content,
  )

  const pushes = await until(() => (stream.pushes().length === 3 ? stream.pushes() : undefined), { what: 'a push on each device' })
  for (const push of pushes) {
    expect(push).toMatchObject({ campaignId, shown: { title: 'Shipped', body: 'On its way', url: content.url, actions: [action] } })
    expect(push.data).toEqual({ order: '17' })
    expect(JSON.stringify(push.payload)).toContain('On its way')
  }
  expect(pushes.map(({ deviceId }) => deviceId).toSorted()).toEqual(devices.map(({ id }) => id).toSorted())
  await until(async () => (await statsOf(campaignId))['delivered'] === 3, { what: 'what the devices report by themselves' })
  expect(await statsOf(campaignId)).toMatchObject({ queued: 3, sent: 3, delivered: 3, opened: 0, clicked: 0, dismissed: 0 })

  const of = (platform: string) => pushes.find(({ deviceId }) => deviceId.startsWith(platform)) as Push
  await report('o', of('ios'))
  await report('o', of('android'))
  await report('c', of('android'), '?action=track')
  await report('x', of('web'))
  expect(await statsOf(campaignId)).toMatchObject({ delivered: 3, opened: 2, clicked: 1, dismissed: 1 })

  const list = await ok(asPage<{ items: Push[] }>('GET', `/simulator/pushes?appId=${appId}&deviceId=${devices[0]?.id}`))
  expect(list.items).toMatchObject([{ campaignId, deviceId: devices[0]?.id }])
  const shown = await ok(asPage<{ items: Device[] }>('GET', `/simulator/devices?appId=${appId}`))
  expect(shown.items.map(({ id, subscriptionId }) => [id, subscriptionId])).toEqual(
    devices.toReversed().map(({ id, subscriptionId }) => [id, subscriptionId]),
  )
})

// spec: tracking/action, webhooks/event-data
test('an operator who watches an app’s events sees which action the user pressed', async () => {
  const { subscriptionId } = await addDevice('android')
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const response = await fetch(`${herald.baseUrl}/v1/admin/apps/${appId}/events`, { headers: { cookie }, signal: gone.signal })
  let text = ''
  const reading = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part
  }
  void reading().catch(() => undefined)
  await until(() => text.includes('event: watching'))

  const campaignId = await send([subscriptionId], { title: 'Hi', body: 'There' })
  const push = await until(
    async () =>
      (await ok(asPage<{ items: Push[] }>('GET', `/simulator/pushes?appId=${appId}`))).items.find((one) => one.campaignId === campaignId),
    { what: 'the push' },
  )
  await report('c', push, '?action=buy.now')
  const clicked = await until(() => /event: event\ndata: (\{[^\n]*notification\.clicked[^\n]*\})/.exec(text)?.[1])
  expect(JSON.parse(clicked)).toMatchObject({ type: 'notification.clicked', campaignId, subscriptionId, data: { action: 'buy.now' } })
})

// spec: administration/simulator-devices
test('an uninstalled virtual device leaves the list and is dead for its provider, so a push to it fails', async () => {
  const [gone, dead, alive] = [await addDevice('ios'), await addDevice('android'), await addDevice('web')]
  await ok(asPage('DELETE', `/simulator/devices/${gone.id}`))
  await ok(asPage('PUT', `/simulator/devices/${dead.id}/behaviour`, { answer: 'dead' }))
  const { items } = await ok(asPage<{ items: Device[] }>('GET', `/simulator/devices?appId=${appId}`))
  expect(items.map(({ id }) => id)).not.toContain(gone.id)

  const campaignId = await send(
    [gone, dead, alive].map(({ subscriptionId }) => subscriptionId),
    { title: 'Hi', body: 'There' },
  )
  await until(async () => {
    const { queued = 0, sent = 0, failed = 0 } = await statsOf(campaignId)
    return queued === 3 && sent + failed === 3
  })
  expect(await statsOf(campaignId)).toMatchObject({ sent: 1, failed: 2 })
  await until(
    async () =>
      (await ok(asPage<{ invalidatedAt: string | null }>('GET', `/apps/${appId}/subscriptions/${gone.subscriptionId}`))).invalidatedAt !==
      null,
    { what: 'the end of the device' },
  )
})

// spec: administration/welcome, administration/simulator
test('a platform without the simulator offers no virtual devices, and says where its dashboard is', async () => {
  const without = await startPlatform({ HERALD_SIMULATOR: 'off' })
  const bearer = { authorization: `Bearer ${without.adminToken}` }
  expect((await http('GET', `${without.baseUrl}/v1/admin/simulator/devices?appId=${appId}`, { headers: bearer })).status).toBe(404)
  expect((await http<{ dashboard: string }>('GET', `${without.baseUrl}/`)).body.dashboard).toBe('/dashboard')
})
