import type { Service } from './call.ts'
import { HeraldError } from './herald-error.ts'

/** The options of `init`. */
export type Options = {
  /** The address of Herald, such as `https://push.example.com`. */
  baseUrl: string
  /** The app's public key, `pk_live_…`. */
  appKey: string
  /** The app's VAPID key. When you leave it out, the SDK asks Herald for it, and on a first visit `ready` takes one request longer. */
  vapidPublicKey?: string | undefined
  /** The address of your service worker; `/herald-sw.js` by default. With Trusted Types, give the value that your policy makes of the address. */
  workerUrl?: string | URL | { toString(): string } | undefined
  /** The scope of the service worker; by default the folder of its address. */
  scope?: string | undefined
  /** The registration of the service worker, when your page registers the worker itself. */
  registration?: ServiceWorkerRegistration | undefined
  /** Asks your backend for an identity token of the user who logs in. It is needed when your app in Herald requires verified identities. */
  identityToken?: ((externalId: string) => string | Promise<string>) | undefined
  /** Writes errors to the browser's console, without a key, an endpoint or an external id. */
  debug?: boolean | undefined
}

/** The options after they were checked, with the defaults filled in. */
export type Settings = {
  service: Service
  scope: string
  register: () => ServiceWorkerRegistration | Promise<ServiceWorkerRegistration>
  options: Options
}

/** Checks the options and fills in the defaults. Throws an error that says which option is wrong and what it should be. */
export function readOptions(options: Options): Settings {
  const { baseUrl, appKey, workerUrl = '/herald-sw.js', scope, registration } = options
  const wrong = !/^https?:\/\/./.test(baseUrl) ? 'baseUrl must be https://…' : !/^pk_/.test(appKey) && 'appKey must be pk_…'
  if (wrong) throw new HeraldError('invalid_option', wrong)
  const page = globalThis.location?.href ?? baseUrl
  const place = registration?.scope ?? new URL(scope ?? '.', new URL(String(workerUrl), page)).href
  return {
    service: { baseUrl: baseUrl.replace(/\/+$/, ''), appKey },
    scope: place,
    register: () => registration ?? navigator.serviceWorker.register(workerUrl as string, { scope: place }),
    options,
  }
}
