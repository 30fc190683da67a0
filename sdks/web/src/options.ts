import type { Service } from './call.ts'
import { HeraldError } from './herald-error.ts'

/** The options of `init`. */
export type Options = {
  /** Where your Herald answers, such as `https://push.example.com`. */
  baseUrl: string
  /** The app's public key, `pk_live_…`. */
  appKey: string
  /** The app's VAPID key. Without it the SDK asks Herald, and `ready` takes one request longer. */
  vapidPublicKey?: string | undefined
  /** The address of your worker; `/herald-sw.js` when left out. Under Trusted Types it is the value that your policy made of the address. */
  workerUrl?: string | URL | { toString(): string } | undefined
  /** The scope of the worker; the folder of its address when left out. */
  scope?: string | undefined
  /** A registration of your own, when your page registers its worker itself. */
  registration?: ServiceWorkerRegistration | undefined
  /** Asks your backend for the proof of who is logged in; needed when the app wants identities verified. */
  identityToken?: ((externalId: string) => string | Promise<string>) | undefined
  /** Says what went wrong in the console, without a key, an endpoint or a name. */
  debug?: boolean | undefined
}

/** The options, checked and completed. */
export type Settings = {
  service: Service
  scope: string
  register: () => ServiceWorkerRegistration | Promise<ServiceWorkerRegistration>
  options: Options
}

/** Reads the options. Throws an error that says which option is wrong and what it should be. */
export function readOptions(options: Options): Settings {
  const { baseUrl, appKey, workerUrl = '/herald-sw.js', scope, registration } = options
  const wrong = !/^https?:\/\/./.test(baseUrl) ? 'baseUrl must be an https address.' : !/^pk_/.test(appKey) && 'appKey must begin with pk_.'
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
