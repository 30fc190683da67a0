import { call, type Service } from './call.ts'
import type { HeraldError } from './herald-error.ts'
import type { Kept } from './store.ts'

export const version = '0.1.0'

export type Address = { endpoint: string; keys: { p256dh: string; auth: string } }

const letters: Record<string, string> = { '+': '-', '/': '_', '=': '' }
const toText = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes!))).replace(/[+/=]/g, (letter) => letters[letter]!)

/** Where a push service delivers to this browser. Not by `toJSON`, which old browsers do not have. */
export const addressOf = (subscription: PushSubscription): Address => ({
  endpoint: subscription.endpoint,
  keys: { p256dh: toText(subscription.getKey('p256dh')), auth: toText(subscription.getKey('auth')) },
})

/** Whether a subscription was made with this key of the app. A browser that does not say is believed. */
export const isMadeWith = ({ options }: PushSubscription, key: string): boolean =>
  !options?.applicationServerKey || toText(options.applicationServerKey) === key

const browserNames: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Chrom: 'Chrome' }

/** The browser's name, as Herald shows it to whoever looks at a device. All but Firefox call themselves Safari too. */
export function browserOf(agent: string): string | undefined {
  const name = (/Edg|OPR|Firefox/.exec(agent) ?? /Chrom/.exec(agent) ?? /Safari/.exec(agent))?.[0]
  return browserNames[name!] ?? name
}

/** What a registration says of the browser. Language and zone are left to the page once it has said them itself. */
export const describeDevice = ({ said = [] }: Kept): Record<string, string | boolean | undefined> => ({
  sdkVersion: version,
  browser: browserOf(navigator.userAgent),
  standalone: matchMedia('(display-mode: standalone)').matches,
  language: said.includes('language') ? undefined : navigator.language,
  timezone: said.includes('timezone') ? undefined : Intl.DateTimeFormat().resolvedOptions().timeZone,
})

type Registered = { id: string; userId: string }

/** Registers the browser. A language or zone that Herald does not know is no reason to have no pushes. */
export async function registerDevice(service: Service, kept: Kept, address: Address): Promise<Registered> {
  const register = (more: object) => call<Registered>(service, 'POST', 'subscriptions', { platform: 'web', ...address, ...more })
  return register(describeDevice(kept)).catch((error: HeraldError) => {
    if (!error.details.some(({ path }) => /^(language|timezone)$/.test(path))) throw error
    return register({ sdkVersion: version })
  })
}

/** Tells Herald the new address of the device at the old one; undefined when it knows none there. Does not end an opt-out. */
export const rotateDevice = (service: Service, old: string, address: Address): Promise<string | undefined> =>
  call<{ id: string }>(service, 'POST', 'subscriptions/rotate', { old, new: address }).then(
    ({ id }) => id,
    (error: HeraldError) => {
      if (error.status !== 404) throw error
      return undefined
    },
  )

/** Notes a registration: nothing needs to be said again for a week. */
export function noteRegistered(kept: Kept, { id, userId }: Registered, endpoint: string): void {
  // A device that Herald did not know belongs to nobody yet.
  if (kept.id && kept.id !== id) delete kept.person
  delete kept.stranger
  delete kept.isFound
  const now = Date.now()
  Object.assign(kept, { id, userId, endpoint, registeredAt: now, sessionAt: now, described: JSON.stringify(describeDevice(kept)) })
}

/** Herald has no such device any more. */
export function forgetDevice(kept: Kept): void {
  for (const field of ['id', 'endpoint', 'person', 'userId', 'registeredAt', 'isFound'] as const) delete kept[field]
}
