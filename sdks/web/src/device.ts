import { call, type Service } from './call.ts'
import type { UserChanges } from './changes.ts'
import { HeraldError } from './herald-error.ts'
import type { Kept } from './store.ts'

export const version = '0.1.0'

export type Address = { endpoint: string; keys: { p256dh: string; auth: string } }

const toText = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')

/** The bytes of base64url text, as `pushManager.subscribe` wants the app's key. */
export const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0))

/** Where a push service delivers to this browser. Old browsers have no `toJSON`, so the keys are asked for one by one. */
export const addressOf = (subscription: PushSubscription): Address => ({
  endpoint: subscription.endpoint,
  keys: { p256dh: toText(subscription.getKey('p256dh')), auth: toText(subscription.getKey('auth')) },
})

/** Whether a subscription was made with this key of the app. A browser that does not say is believed. */
export const isMadeWith = (subscription: PushSubscription, key: string): boolean => {
  const made = subscription.options?.applicationServerKey
  return !made || toText(made) === key.replace(/=+$/, '')
}

/** The browser's name, as far as Herald shows it to whoever looks at a device. */
export const browserOf = (agent: string): string | undefined =>
  [/Edg/, /OPR/, /Firefox/, /Chrom/, /Safari/].map((name) => name.exec(agent)?.[0]).find((name) => name !== undefined)

const browserNames: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Chrom: 'Chrome' }

/** What a registration says of the browser. Language and zone are left to the page once it has said them itself. */
export function describeDevice({ said = [] }: Kept): Record<string, string | boolean> {
  const browser = browserOf(navigator.userAgent)
  const language = navigator.language
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return {
    sdkVersion: version,
    ...(browser && { browser: browserNames[browser] ?? browser }),
    ...(typeof matchMedia === 'function' && { standalone: matchMedia('(display-mode: standalone)').matches }),
    ...(language && !said.includes('language') && { language }),
    ...(timezone && !said.includes('timezone') && { timezone }),
  }
}

type Registered = { id: string; userId: string }

/** Registers the browser. A language or zone that Herald does not know is no reason to have no pushes. */
export async function registerDevice(service: Service, kept: Kept, address: Address, user: UserChanges): Promise<Registered> {
  const device = describeDevice(kept)
  const register = (body: object) => call<Registered>(service, 'POST', 'subscriptions', { body: { platform: 'web', ...address, ...body } })
  try {
    return await register({ ...device, ...user })
  } catch (error) {
    const { details, status } = error as HeraldError
    if (status !== 422 || !details.every(({ path }) => path in device && !(path in user))) throw error
    for (const { path } of details) delete device[path]
    return await register({ ...device, ...user })
  }
}

/** Tells Herald the new address of the device at the old one; undefined when it knows none there. Does not end an opt-out. */
export async function rotateDevice(service: Service, old: string, address: Address): Promise<string | undefined> {
  try {
    return (await call<{ id: string }>(service, 'POST', 'subscriptions/rotate', { body: { old, new: address } })).id
  } catch (error) {
    if ((error as HeraldError).status === 404) return undefined
    throw error
  }
}

/** Notes a registration: nothing needs to be said again for a week. */
export function noteRegistered(kept: Kept, { id, userId }: Registered, endpoint: string, now: number): void {
  // A device that Herald did not know belongs to nobody yet.
  if (kept.id !== undefined && kept.id !== id) delete kept.person
  delete kept.stranger
  delete kept.isFound
  Object.assign(kept, { id, userId, endpoint, registeredAt: now, sessionAt: now, described: JSON.stringify(describeDevice(kept)) })
}

/**
 * Sees to it that Herald knows the browser's present endpoint: page and worker both come here when it may have changed. One that Herald
 * does not know any more is registered again, unless the person has opted out.
 */
export async function keepAddress(
  service: Service,
  kept: Kept,
  subscription: PushSubscription,
): Promise<((kept: Kept) => void) | undefined> {
  const address = addressOf(subscription)
  if (kept.endpoint === undefined || kept.endpoint === address.endpoint) return undefined
  const id = await rotateDevice(service, kept.endpoint, address)
  if (id !== undefined) return (kept) => void Object.assign(kept, { id, endpoint: address.endpoint })
  if (kept.optedOut || kept.isFound) return forgetDevice
  const registered = await registerDevice(service, kept, address, {})
  return (kept) => noteRegistered(kept, registered, address.endpoint, Date.now())
}

/** Herald has no such device any more. */
export function forgetDevice(kept: Kept): void {
  for (const field of ['id', 'endpoint', 'person', 'userId', 'registeredAt', 'isFound'] as const) delete kept[field]
}
