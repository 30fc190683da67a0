import type { Tenant } from '@herald/testing/tenant'
import { http } from '@herald/testing/herald'
import type { Registered } from './crowd.ts'
import type { Receiver } from './receiver.ts'

/**
 * Something that a hostile app does repeatedly: with `workers` at once, and each worker at most once every `everyMs`. `act` gives the HTTP status.
 */
export type Hostility = { name: string; workers: number; everyMs: number; act: () => Promise<number> }

const content = { _default: 'en', en: { title: 'Flood', body: 'One of very many' } }
/** Texts that cost the most that Herald accepts to fill in for each push; `tags.big0` is long. */
const dearContent = {
  _default: 'en',
  en: { title: 'T', body: '{{tags.big0|url_encode|url_encode|url_encode|url_encode|truncate:1,""}}'.repeat(12) },
}
/** As many long tags as a user may have, and a text that names 15 of them. */
const largeTags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, no) => [`big${no}`, '漢'.repeat(330)]))
const textOfTags = { _default: 'en', en: { title: 'T', body: Array.from({ length: 15 }, (_, no) => `{{tags.big${no}}}`).join('') } }
const listed = 500

/** The most expensive condition that a segment may have: on versions, which are compared part by part. */
const dearLeaf = (place: number) => ({
  field: 'appVersion',
  op: 'in',
  value: Array.from({ length: listed }, (_, index) => `${place}.${index}.1.2`),
})
const plainLeaf = (place: number) => ({
  field: 'deviceModel',
  op: 'in',
  value: Array.from({ length: listed }, (_, index) => `model-${place}-${index}`),
})
const anyOf = (count: number, leaf: (place: number) => unknown) => {
  const leaves = Array.from({ length: count }, (_, place) => leaf(place))
  return { or: [{ or: leaves.slice(0, 50) }, ...(count > 50 ? [{ or: leaves.slice(50) }] : [])] }
}

/** Segments, the most expensive first. The attack uses the first one that Herald accepts, so it is as hard as Herald's limits allow. */
const segmentsByCost = [
  anyOf(27, dearLeaf),
  anyOf(89, plainLeaf),
  anyOf(20, dearLeaf),
  anyOf(10, dearLeaf),
  anyOf(4, dearLeaf),
  anyOf(1, dearLeaf),
]

/**
 * Lists everything that the hostile app does at once, as often and as large as Herald's limits allow, and beyond.
 */
export function openHostilities({
  tenant,
  devices,
  receiver,
  baseUrl,
}: {
  tenant: Tenant
  devices: readonly Registered[]
  receiver: Receiver
  baseUrl: string
}): Hostility[] {
  let sent = 0
  let named = 0
  const one = () => devices[sent++ % devices.length]?.subscriptionId ?? ''
  const status = async (answer: Promise<{ status: number }>) => (await answer).status
  const dearest = async (path: string, body: (segment: unknown) => unknown): Promise<number> => {
    let last = 0
    for (const segment of segmentsByCost) {
      last = await status(tenant.call('POST', path, body(segment)))
      if (last !== 422 && last !== 413) return last
    }
    return last
  }
  const asDevice = (path: string, body?: unknown) =>
    status(http('POST', `${baseUrl}/v1/subscriptions/${one()}${path}`, { headers: { 'x-app-key': tenant.publicKey }, body }))

  /** Registers a new device with the public key and sends to it. */
  const sendToNew = async (platform: 'android' | 'web', options: Record<string, unknown>): Promise<number> => {
    const [device] = await tenant.makeDevices(platform, 1, options)
    const registered = await http<{ id: string }>('POST', `${baseUrl}/v1/subscriptions`, {
      headers: { 'x-app-key': tenant.publicKey },
      body: device?.platform === 'web' ? { platform, endpoint: device.endpoint, keys: device.keys } : { platform, token: device?.token },
    })
    if (registered.status !== 200) return registered.status
    return status(tenant.call('POST', '/v1/notifications', { target: { subscriptionIds: [registered.body.id] }, content }))
  }

  return [
    {
      name: 'flood of sends',
      workers: 16,
      everyMs: 96,
      act: () => status(tenant.call('POST', '/v1/notifications', { target: { subscriptionIds: [one()] }, content })),
    },
    {
      name: 'dear segments sent',
      workers: 1,
      everyMs: 3_000,
      act: () => dearest('/v1/notifications', (segment) => ({ target: { segment }, content })),
    },
    {
      name: 'dear content sent',
      workers: 2,
      everyMs: 250,
      act: () =>
        status(
          tenant.call('POST', '/v1/notifications', {
            target: { subscriptionIds: devices.slice(0, 48).map(({ subscriptionId }) => subscriptionId) },
            content: dearContent,
          }),
        ),
    },
    {
      name: 'dear content tried',
      workers: 2,
      everyMs: 100,
      act: () =>
        status(tenant.call('POST', '/v1/notifications/dry-run', { notification: { target: { all: true }, content: dearContent } })),
    },
    {
      name: 'one user changed in parallel',
      workers: 60,
      everyMs: 100,
      act: () => status(tenant.call('PATCH', '/v1/users/by-external-id/user-0', { tags: { at: Math.random() } })),
    },
    {
      name: 'large tags',
      workers: 4,
      everyMs: 200,
      act: () => {
        named += 1
        return status(tenant.call('PATCH', `/v1/users/by-external-id/user-${named % devices.length}`, { tags: largeTags(15) }))
      },
    },
    {
      name: 'texts of many tags sent',
      workers: 1,
      everyMs: 500,
      act: () => status(tenant.call('POST', '/v1/notifications', { target: { all: true }, content: textOfTags })),
    },
    { name: 'dear previews', workers: 2, everyMs: 500, act: () => dearest('/v1/segments/preview', (segment) => ({ segment })) },
    {
      name: 'push services that are not there',
      workers: 1,
      everyMs: 1_000,
      act: async () => {
        named += 1
        const [device] = await tenant.makeDevices('web', 1)
        const registered = await http<{ id: string }>('POST', `${baseUrl}/v1/subscriptions`, {
          headers: { 'x-app-key': tenant.publicKey },
          body: { platform: 'web', endpoint: `https://service-${named}.dead.example.org/push/${named}`, keys: device?.keys },
        })
        if (registered.status !== 200) return registered.status
        return status(tenant.call('POST', '/v1/notifications', { target: { subscriptionIds: [registered.body.id] }, content }))
      },
    },
    {
      name: 'browsers of another key',
      workers: 1,
      everyMs: 1_000,
      act: () => sendToNew('web', { behaviour: { answer: 'known', known: 'web other key, Chrome' } }),
    },
    {
      name: 'tokens of another platform',
      workers: 1,
      everyMs: 1_000,
      act: () => sendToNew('android', { behaviour: { answer: 'known', known: 'fcm third party auth error' } }),
    },
    { name: 'pushes listed', workers: 24, everyMs: 250, act: () => status(tenant.admin('GET', '/pushes?limit=5')) },
    { name: 'campaigns listed', workers: 4, everyMs: 250, act: () => status(tenant.admin('GET', '/campaigns?transactional=false')) },
    { name: 'templates listed', workers: 30, everyMs: 500, act: () => status(tenant.call('GET', '/v1/templates')) },
    { name: 'logins', workers: 4, everyMs: 50, act: () => asDevice('/login', { externalId: `nobody-${Math.floor(Math.random() * 1e9)}` }) },
    { name: 'logouts', workers: 2, everyMs: 50, act: () => asDevice('/logout') },
    {
      name: 'webhooks made',
      workers: 1,
      everyMs: 1_000,
      act: () =>
        receiver.attach(tenant).then(
          () => 201,
          () => 409,
        ),
    },
  ]
}
