import { init, type Herald } from '@herald/web'

const workerUrl = '/dashboard/try-out-worker.js'

type ScriptPolicies = {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): { toString(): string } }
}

let policy: { createScriptURL(text: string): { toString(): string } } | undefined

/** The address of the try-out worker. Under Trusted Types it comes from the page's one policy, which makes nothing else. */
function trustedWorkerUrl(): string | { toString(): string } {
  const { trustedTypes } = window as { trustedTypes?: ScriptPolicies }
  if (trustedTypes === undefined) return workerUrl
  policy ??= trustedTypes.createPolicy('herald-sw', { createScriptURL: () => workerUrl })
  return policy.createScriptURL(workerUrl)
}

/** Starts the web SDK on this page for one app. Each app has a scope of its own, because each has keys of its own. */
export const openTryOut = (appId: string, publicKey: string, vapidPublicKey: string): Herald =>
  init({
    baseUrl: location.origin,
    appKey: publicKey,
    vapidPublicKey,
    workerUrl: trustedWorkerUrl(),
    scope: `/dashboard/try-out/${appId}/`,
  })
