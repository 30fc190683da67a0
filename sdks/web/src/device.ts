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

/** The endpoint and keys of this browser. They are not read by `toJSON`, which old browsers do not have. */
export const addressOf = (subscription: PushSubscription): Address => ({
  endpoint: subscription.endpoint,
  keys: { p256dh: toText(subscription.getKey('p256dh')), auth: toText(subscription.getKey('auth')) },
})

/** Whether a subscription was made with this key. When the browser does not tell, it counts as yes. */
export const isMadeWith = ({ options }: PushSubscription, key: string): boolean =>
  !options?.applicationServerKey || toText(options.applicationServerKey) === key

/** The browser's name, which Herald shows with the device. All browsers but Firefox also call themselves Safari. */
export const browserOf = (agent: string): string | undefined => (/Edg/.test(agent) ? 'Edge' : /Firefox|Chrome|Safari/.exec(agent)?.[0])

/** The language, zone and versions of the browser as a text. A registration sends them when they have changed. */
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
 * Registers the browser. Values that were sent before are not sent again, so that a language or zone that the page has set stays. If Herald
 * refuses a value with 422, such as a zone that it does not know, the browser is registered without any.
 */
export async function registerDevice(service: Service, { device }: Kept, address: Address): Promise<Registered> {
  const told = describeDevice()
  const register = (more: object) => call<Registered>(service, 'POST', 'subscriptions', { platform: 'web', ...address, ...more })
  return register(told === device.told ? {} : JSON.parse(told)).catch((error: HeraldError) => {
    if (error.status !== 422) throw error
    return register({})
  })
}

/** Tells Herald the new endpoint of the device with the old one; undefined when Herald does not know the old one. An opt-out stays. */
export const rotateDevice = (service: Service, old: string, address: Address): Promise<string | undefined> =>
  call<{ id: string }>(service, 'POST', 'subscriptions/rotate', { old, new: address }).then(
    ({ id }) => id,
    (error: HeraldError) => {
      if (error.status !== 404) throw error
      return undefined
    },
  )

/** Notes a registration: nothing needs to be sent again for a week. A device that is new to Herald has an anonymous user. */
export function noteRegistered(kept: Kept, registered: Registered, endpoint: string): void {
  const now = Date.now()
  const { person } = registered.id === kept.device.id ? kept.device : {}
  const { id, userId } = registered
  kept.device = { id, userId, person, endpoint, told: describeDevice(), saidAt: now, seenAt: now }
}
