/** Why a browser cannot have pushes. `needs_home_screen` means that on an iPhone or iPad the user must open the page from the home screen. */
export type Reason = 'insecure_context' | 'needs_home_screen' | 'no_push'

/** Gives why this browser cannot have pushes; undefined when it can. */
export function whyUnsupported(): Reason | undefined {
  // `isSecureContext` is undefined outside a browser, for example on a server, so the answer there is the same.
  if (!globalThis.isSecureContext) return 'insecure_context'
  if ('serviceWorker' in navigator && 'PushManager' in globalThis) return undefined
  // The user agent of an iPad says Mac, but no Mac has a touch screen.
  return /iP|Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1 ? 'needs_home_screen' : 'no_push'
}
