import * as z from 'zod'
import { check, type Route } from './control-http.ts'
import { isReachedBy, uninstall, type Devices } from './devices.ts'
import type { Listener } from './listener.ts'
import type { Service, FaultBoard } from './faults.ts'
import type { Quota } from './fcm/quota.ts'
import type { Accounts } from './accounts.ts'
import type { State } from './state.ts'
import type { Recording } from './record.ts'
import type { ProviderTokens } from './apns/service.ts'
import type { AccessTokens } from './fcm/oauth.ts'
import type { Crowd } from './crowd.ts'
import type { Device, Reach } from './device-kind.ts'

/** A listener and the simulated provider to which it belongs: faults are set for a provider, and APNs has two listeners. */
export type ServiceListener = Listener & { service: Service }

export type Controlled = {
  accounts: Accounts
  devices: Devices
  state: State
  recording: Recording
  faults: FaultBoard
  quota: Quota
  providerTokens: ProviderTokens
  accessTokens: AccessTokens
  crowd: Crowd
  listeners: Readonly<Record<string, ServiceListener>>
  tokenUri: string
  webPushOrigin: string
}

const text = z.string().min(1)
const whole = z.coerce.number().int().min(0)
export const reach = { bundleId: text.optional(), projectId: text.optional(), applicationServerKey: text.optional() }

const DeviceQuery = z.strictObject({
  ...reach,
  limit: whole.max(1_000).default(50),
  /** The `next` of an earlier answer, to continue after it. */
  after: z
    .string()
    .regex(/^[hc]\d{1,9}$/, 'must be the next of an earlier answer')
    .optional(),
})
const NewestQuery = z.strictObject({ ...reach, deviceId: text.optional(), before: whole.optional(), limit: whole.max(1_000).default(50) })
const TailQuery = z.strictObject({ ...reach, after: whole.optional(), limit: whole.max(1_000).default(100) })
const NewSubscription = z.strictObject({ subscriptionId: text })

/**
 * Gives the routes for a page that shows virtual devices: list the devices that given accounts can send to and their newest pushes, note which
 * subscription of Herald's a device is, and remove the app from a device.
 */
export function handRoutes({ devices, recording, state }: Controlled, deviceOf: (id: string) => Device): Route[] {
  return [
    ['GET', '/devices', ({ query }) => listDevices(devices.all(), check(DeviceQuery, query))],
    [
      'PUT',
      '/devices/:id/subscription',
      ({ parameters: [id = ''], body }) => {
        const device = deviceOf(id)
        const { subscriptionId } = check(NewSubscription, body)
        device.subscriptionId = subscriptionId
        state.saveFate(id, { subscriptionId })
        return shownDevice(device)
      },
    ],
    [
      'DELETE',
      '/devices/:id',
      ({ parameters: [id = ''] }) => {
        uninstall(deviceOf(id))
        state.saveFate(id, { gone: true })
      },
    ],
    [
      'GET',
      '/pushes/newest',
      ({ query }) => {
        const { deviceId, before, limit, ...accounts } = check(NewestQuery, query)
        const device = deviceId === undefined ? undefined : deviceOf(deviceId)
        const isWanted = (one: Device) => isReachedBy(one, accounts) && (device === undefined || one === device)
        return { pushes: recording.newest(isWanted, { before, limit }).map((push) => withSubscription(push, deviceOf(push.deviceId))) }
      },
    ],
    [
      'GET',
      '/pushes/tail',
      ({ query }) => {
        const { after, limit, ...accounts } = check(TailQuery, query)
        if (after === undefined) return { last: recording.last(), dropped: 0, pushes: [] }
        const { pushes, ...rest } = recording.tail((one) => isReachedBy(one, accounts), { after, limit })
        return { ...rest, pushes: pushes.map((push) => withSubscription(push, deviceOf(push.deviceId))) }
      },
    ],
  ]
}

const withSubscription = <Push extends object>(push: Push, { subscriptionId = null }: { subscriptionId?: string | null | undefined }) => ({
  ...push,
  subscriptionId,
})

/** Lists the devices that the accounts reach and that have the app: first those that an operator uses (`hand`), then others, each newest first. */
function listDevices(all: readonly Device[], { limit, after, ...accounts }: Reach & { limit: number; after?: string | undefined }) {
  const items: { place: string; device: Device }[] = []
  const begins = { group: after?.[0] ?? 'h', below: after === undefined ? all.length : Number(after.slice(1)) }
  for (const group of begins.group === 'h' ? ['h', 'c'] : ['c']) {
    const from = group === begins.group ? Math.min(begins.below, all.length) : all.length
    for (let index = from - 1; index >= 0 && items.length <= limit; index--) {
      const device = all[index]
      if (!device || device.isGone || (device.hand !== undefined) !== (group === 'h') || !isReachedBy(device, accounts)) continue
      items.push({ place: `${group}${index}`, device })
    }
  }
  const shown = items.slice(0, limit)
  return { devices: shown.map(({ device }) => shownDevice(device)), next: items.length > limit ? (shown.at(-1)?.place ?? null) : null }
}

/** Gives the fields of a device that a page shows, without its token or keys. */
export function shownDevice(device: Device) {
  const { id, platform, hand, subscriptionId = null, behaviour } = device
  return {
    id,
    platform,
    name: hand === undefined || hand.name === '' ? null : hand.name,
    byHand: hand !== undefined,
    subscriptionId,
    environment: 'environment' in device ? device.environment : '',
    behaviour: {
      answer: behaviour?.answer ?? 'ok',
      retryAfterSeconds: behaviour?.retryAfterSeconds ?? null,
      delayMs: behaviour?.delayMs ?? null,
    },
  }
}
