/** Why there can be no pushes here. `needs_home_screen`: on an iPhone or iPad the page must be opened from the home screen. */
export type Reason = 'no_browser' | 'insecure_context' | 'needs_home_screen' | 'no_push'

/** Why this browser cannot have pushes; undefined when it can. */
export function whyUnsupported(): Reason | undefined {
  if (typeof window === 'undefined' || typeof navigator === 'undefined') return 'no_browser'
  if (!window.isSecureContext) return 'insecure_context'
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window) return undefined
  // An iPad says that it is a Mac, and has a screen to touch.
  const isApplePhone = /iP(hone|ad|od)/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
  return isApplePhone ? 'needs_home_screen' : 'no_push'
}
