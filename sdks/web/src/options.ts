import type { Service } from './call.ts'
import { HeraldError } from './herald-error.ts'

/** What `init` takes. */
export type Options = {
  /** Where your Herald answers, such as `https://push.example.com`. */
  baseUrl: string
  /** The app's public key, `pk_live_…`. */
  appKey: string
  /** The app's VAPID key. Without it Herald is asked, and `ready` takes one request longer. */
  vapidPublicKey?: string | undefined
  /** The address of your worker; `/herald-sw.js` when left out. Under Trusted Types it is what your policy made of that address. */
  workerUrl?: string | URL | { toString(): string } | undefined
  /** The scope of the worker; the folder of its address when left out. Beside a registration that is still a promise: its scope, `/` when left out. */
  scope?: string | undefined
  /** A registration of your own, when your page registers its worker itself. */
  registration?: ServiceWorkerRegistration | Promise<ServiceWorkerRegistration> | undefined
  /** Asks your backend for the proof of who is logged in; needed when the app wants identities verified. */
  identityToken?: ((externalId: string) => string | Promise<string>) | undefined
  /** Says each step in the console, without a key, an endpoint or a name. */
  debug?: boolean | undefined
}

/** The options, checked and completed. */
export type Settings = {
  service: Service
  scope: string
  register: () => Promise<ServiceWorkerRegistration>
  vapidPublicKey: string | undefined
  identityToken: Options['identityToken']
  debug: boolean
}

const refuse = (message: string): never => {
  throw new HeraldError('invalid_option', message)
}

/** Reads the options; says which one is wrong and what it should be. */
export function readOptions(options: Options): Settings {
  const { baseUrl, appKey, vapidPublicKey, workerUrl = '/herald-sw.js', scope, registration, identityToken, debug = false } = options
  if (!/^https?:\/\/[^/]/.test(baseUrl ?? '')) refuse('baseUrl must be the https address of your Herald.')
  if (!/^pk_/.test(appKey ?? '')) refuse("appKey must be the app's public key. It begins with pk_.")
  if (vapidPublicKey !== undefined && !/^[\w-]{87}=?$/.test(vapidPublicKey)) {
    refuse("vapidPublicKey must be the app's VAPID key, 87 letters of base64url.")
  }
  const page = typeof location === 'undefined' ? 'http://localhost/' : location.href
  const given = registration && 'scope' in registration ? registration.scope : scope
  return {
    service: { baseUrl: baseUrl.replace(/\/+$/, ''), appKey },
    scope: new URL(given ?? (registration ? '/' : '.'), registration ? page : new URL(String(workerUrl), page)).href,
    register: async () =>
      (await registration) ??
      navigator.serviceWorker.register(workerUrl as string, scope === undefined ? {} : { scope: new URL(scope, page).href }),
    vapidPublicKey,
    identityToken,
    debug,
  }
}
