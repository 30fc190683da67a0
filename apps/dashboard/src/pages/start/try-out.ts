import { init, type Herald } from '@herald/web'

const workerUrl = '/dashboard/try-out-worker.js'

type ScriptPolicies = {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): { toString(): string } }
}

let policy: { createScriptURL(text: string): { toString(): string } } | undefined

/**
 * Gives the address of the service worker with which this browser becomes a device. In a browser with Trusted Types the address comes from the page's
 * only policy, and that policy gives no other address.
 */
function trustedWorkerUrl(): string | { toString(): string } {
  const { trustedTypes } = window as { trustedTypes?: ScriptPolicies }
  if (trustedTypes === undefined) return workerUrl
  policy ??= trustedTypes.createPolicy('herald-sw', { createScriptURL: () => workerUrl })
  return policy.createScriptURL(workerUrl)
}

/** Starts the web SDK on this page for one app. Each app has its own scope, because each has its own keys. */
export const openTryOut = (appId: string, publicKey: string, vapidPublicKey: string): Herald =>
  init({
    baseUrl: location.origin,
    appKey: publicKey,
    vapidPublicKey,
    workerUrl: trustedWorkerUrl(),
    scope: `/dashboard/try-out/${appId}/`,
  })
