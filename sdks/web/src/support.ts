/** Why there can be no pushes here. `needs_home_screen`: on an iPhone or iPad the page must be opened from the home screen. */
export type Reason = 'insecure_context' | 'needs_home_screen' | 'no_push'

/** Why this browser cannot have pushes; undefined when it can. */
export function whyUnsupported(): Reason | undefined {
  // No browser at all is no secure context either.
  if (!globalThis.isSecureContext) return 'insecure_context'
  if ('serviceWorker' in navigator && 'PushManager' in globalThis) return undefined
  // An iPad says that it is a Mac, and has a screen to touch.
  return /iP|Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1 ? 'needs_home_screen' : 'no_push'
}
