import { call, type Service } from './call.ts'
import type { HeraldError } from './herald-error.ts'
import type { Kept } from './store.ts'

export const version = '0.1.0'

export type Address = { endpoint: string; keys: { p256dh: string; auth: string } }

const toText = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes!)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Where a push service delivers to this browser. Not by `toJSON`, which old browsers do not have. */
export const addressOf = (subscription: PushSubscription): Address => ({
  endpoint: subscription.endpoint,
  keys: { p256dh: toText(subscription.getKey('p256dh')), auth: toText(subscription.getKey('auth')) },
})

/** Whether a subscription was made with this key of the app. A browser that does not say is believed. */
export const isMadeWith = ({ options }: PushSubscription, key: string): boolean =>
  !options?.applicationServerKey || toText(options.applicationServerKey) === key

/** The browser's name, as Herald shows it to whoever looks at a device. All but Firefox call themselves Safari too. */
export const browserOf = (agent: string): string | undefined => (/Edg/.test(agent) ? 'Edge' : /Firefox|Chrome|Safari/.exec(agent)?.[0])

/** What there is to say of the browser, as text: a registration says it when it is something new. */
export const describeDevice = (): string =>
  JSON.stringify({
    sdkVersion: version,
    browser: browserOf(navigator.userAgent),
    standalone: matchMedia('(display-mode: standalone)').matches,
    language: navigator.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })

type Registered = { id: string; userId: string }

/**
 * Registers the browser. What was said before is not said again, so that a language or zone that the page set stays. One that Herald
 * does not know is no reason to have no pushes.
 */
export async function registerDevice(service: Service, { device }: Kept, address: Address): Promise<Registered> {
  const told = describeDevice()
  const register = (more: object) => call<Registered>(service, 'POST', 'subscriptions', { platform: 'web', ...address, ...more })
  return register(told === device.told ? {} : JSON.parse(told)).catch((error: HeraldError) => {
    if (error.status !== 422) throw error
    return register({})
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

/** Notes a registration: nothing needs to be said again for a week. A device that Herald did not know belongs to nobody yet. */
export function noteRegistered(kept: Kept, registered: Registered, endpoint: string): void {
  const now = Date.now()
  const { person } = registered.id === kept.device.id ? kept.device : {}
  const { id, userId } = registered
  kept.device = { id, userId, person, endpoint, told: describeDevice(), saidAt: now, seenAt: now }
}
