import { Id } from '@herald/contracts/text'
import { providerKinds } from '@herald/contracts/app'
import { platforms } from '@herald/contracts/platform'
import { z } from 'zod'
import type { SimulatedDevice, SimulatedPush } from '../simulate.ts'
import { describes, listOf } from '../../http/answers.ts'
import * as shop from '../../http/shop.ts'

/* The schemas of what the simulator's routes answer, for the OpenAPI document, and examples of the answers. */

const Device = describes<SimulatedDevice>()(
  z.object({
    id: z.string(),
    platform: z.enum(platforms),
    name: z.string().nullable().meta({ description: 'Its name; null for a device of the demo, and for one without a name.' }),
    byHand: z
      .boolean()
      .meta({ description: 'True when an operator added it: it reports delivered by itself, and the operator does the rest.' }),
    subscriptionId: Id.nullable(),
    environment: z.string().meta({ description: 'The environment of APNs; empty for other platforms.' }),
    behaviour: z.object({ answer: z.string(), retryAfterSeconds: z.number().nullable(), delayMs: z.number().nullable() }),
  }),
)
export const SimulatedDeviceRead = Device
export const SimulatedDeviceList = listOf(Device)

const action = z.object({ id: z.string(), title: z.string(), url: z.string().nullable() })
const shown = z.object({
  title: z.string(),
  body: z.string(),
  url: z.string().nullable(),
  image: z.string().nullable(),
  actions: z.array(action),
  badge: z.number().nullable(),
  sound: z.string().nullable(),
})
export const SimulatedPushList = listOf(
  describes<SimulatedPush>()(
    z.object({
      seq: z.int().meta({ description: 'Its place in the simulator’s record, which begins at 1 again whenever the simulator starts.' }),
      at: z.string().meta({ format: 'date-time' }),
      deviceId: z.string(),
      platform: z.enum(platforms),
      environment: z.string(),
      subscriptionId: Id.nullable(),
      userId: Id.nullable(),
      campaignId: Id.nullable(),
      variant: z.string().nullable(),
      msgId: z.string().nullable().meta({ description: 'For the tracking calls of a tap, an action or a swipe.' }),
      shown: shown.nullable().meta({ description: 'What the device shows; null when the push is silent.' }),
      data: z.record(z.string(), z.string()),
      headers: z.record(z.string(), z.string()),
      bytes: z.int(),
      payload: z
        .unknown()
        .meta({ description: 'Exactly what the provider took; decrypted for a browser, and for Android with only the end of the token.' }),
      error: z.string().nullable(),
    }),
  ),
)
export const AccountTaken = z.object({ kind: z.enum(providerKinds) })

const { appId } = shop
const device = {
  id: 'ios-300',
  platform: 'ios',
  name: 'Dana’s iPhone',
  byHand: true,
  subscriptionId: shop.device.id,
  environment: 'production',
  behaviour: { answer: 'ok', retryAfterSeconds: null, delayMs: null },
} satisfies SimulatedDevice
const msgId = 'NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2.h8Yk1n0pQb3sWcD5mZr7tV'
const push = {
  seq: 42,
  at: '2026-01-13T18:30:00.123Z',
  deviceId: device.id,
  platform: 'ios',
  environment: 'production',
  subscriptionId: shop.device.id,
  userId: shop.user.id,
  campaignId: shop.campaignId,
  variant: 'a',
  msgId,
  shown: {
    title: 'Shipped',
    body: 'On its way',
    url: 'https://shop.example/orders/17',
    image: null,
    actions: [{ id: 'track', title: 'Track it', url: 'https://shop.example/track/17' }],
    badge: null,
    sound: 'default',
  },
  data: { order: '17' },
  headers: { topic: 'com.example.shop', pushType: 'alert', priority: '10' },
  bytes: 412,
  payload: { aps: { alert: { title: 'Shipped', body: 'On its way' } }, herald: { msgId } },
  error: null,
} satisfies SimulatedPush

export const simulatorExamples = {
  takeSimulatedAccount: { bodies: { 'of APNs': { appId, kind: 'apns' } }, answer: { kind: 'apns' } },
  addSimulatedDevice: {
    bodies: {
      'a phone': { appId, platform: 'ios', name: 'Dana’s iPhone', externalId: 'customer-7', language: 'de', timezone: 'Europe/Berlin' },
      'a browser': { appId, platform: 'web', tags: { plan: 'pro' } },
    },
    answer: device,
  },
  listSimulatedDevices: { answer: shop.listOf(device) },
  setSimulatedBehaviour: {
    bodies: {
      dead: { answer: 'dead' },
      slow: { answer: 'slow', delayMs: 3_000 },
      throttled: { answer: 'rate_limited', retryAfterSeconds: 5 },
    },
    answer: { ...device, behaviour: { answer: 'slow', retryAfterSeconds: null, delayMs: 3_000 } },
  },
  listSimulatedPushes: { answer: shop.listOf(push) },
}
