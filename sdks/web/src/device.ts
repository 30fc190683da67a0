import { call, type Service } from './call.ts'
import type { HeraldError } from './herald-error.ts'
import type { Kept } from './store.ts'

export const version = '0.2.0'

export type Address = { endpoint: string; keys: { p256dh: string; auth: string } }

const toText = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes!)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Gives the endpoint and keys of this browser's subscription. It does not use `toJSON`, which old browsers lack. */
export const addressOf = (subscription: PushSubscription): Address => ({
  endpoint: subscription.endpoint,
  keys: { p256dh: toText(subscription.getKey('p256dh')), auth: toText(subscription.getKey('auth')) },
})

/** Whether a subscription was made with this VAPID key; also true when the browser does not say with which key it was made. */
export const isMadeWith = ({ options }: PushSubscription, key: string): boolean =>
  !options?.applicationServerKey || toText(options.applicationServerKey) === key

/** Gives the browser's name. Edge's user agent contains Chrome and Safari too, and Chrome's contains Safari behind Chrome. */
export const browserOf = (agent: string): string | undefined => (/Edg/.test(agent) ? 'Edge' : /Firefox|Chrome|Safari/.exec(agent)?.[0])

/** Gives what a registration says about the browser, as JSON: SDK version, browser, whether it runs as an installed app, language, time zone. */
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
 * Registers the browser. Sends what `describeDevice` gives only when that has changed, or it would overwrite a language that the page has set.
 * Registers without these values when Herald refuses one with 422.
 */
export async function registerDevice(service: Service, { device }: Kept, address: Address): Promise<Registered> {
  const told = describeDevice()
  const register = (more: object) => call<Registered>(service, 'POST', 'subscriptions', { platform: 'web', ...address, ...more })
  return register(told === device.told ? {} : JSON.parse(told)).catch((error: HeraldError) => {
    if (error.status !== 422) throw error
    return register({})
  })
}

/** Replaces the device's old endpoint by the new one. Gives the device's id; undefined when Herald does not know the old one. An opt-out stays. */
export const rotateDevice = (service: Service, old: string, address: Address): Promise<string | undefined> =>
  call<{ id: string }>(service, 'POST', 'subscriptions/rotate', { old, new: address }).then(
    ({ id }) => id,
    (error: HeraldError) => {
      if (error.status !== 404) throw error
      return undefined
    },
  )

/** Stores what a registration told Herald and was answered. A device with a new id belongs to an anonymous user. */
export function noteRegistered(kept: Kept, registered: Registered, endpoint: string): void {
  const now = Date.now()
  const { person } = registered.id === kept.device.id ? kept.device : {}
  kept.device = { ...registered, person, endpoint, told: describeDevice(), saidAt: now, seenAt: now }
}
