/** Why this browser cannot have pushes. `needs_home_screen`: on an iPhone or iPad the page must be opened from the home screen. */
export type Reason = 'insecure_context' | 'needs_home_screen' | 'no_push'

/** Why this browser cannot have pushes; undefined when it can. */
export function whyUnsupported(): Reason | undefined {
  // Outside a browser this is undefined as well.
  if (!globalThis.isSecureContext) return 'insecure_context'
  if ('serviceWorker' in navigator && 'PushManager' in globalThis) return undefined
  // An iPad calls itself a Mac, but has a touch screen.
  return /iP|Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1 ? 'needs_home_screen' : 'no_push'
}
