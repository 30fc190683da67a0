/** The part of a service worker's global object that this SDK uses. TypeScript's types for pages (`lib.dom`) lack it. */
export type WorkerScope = EventTarget & {
  registration: ServiceWorkerRegistration
  location: Location
  navigator: Navigator
  skipWaiting(): Promise<void>
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly WindowClient[]>
    openWindow(url: string): Promise<WindowClient | null>
  }
}

export type WindowClient = {
  url: string
  focused: boolean
  visibilityState: string
  focus(): Promise<WindowClient>
  navigate(url: string): Promise<WindowClient | null>
  postMessage(message: unknown, transfer?: Transferable[]): void
}

type ExtendableEvent = Event & { waitUntil(work: Promise<unknown>): void }
export type PushEvent = ExtendableEvent & { data: { json(): unknown } | null }
export type NotificationEvent = ExtendableEvent & { notification: Notification; action: string }
type SubscriptionChangeEvent = ExtendableEvent & {
  oldSubscription?: PushSubscription | null
  newSubscription?: PushSubscription | null
}

/** The events of a service worker that the SDK listens to, by name. */
export type WorkerEvents = {
  push: PushEvent
  notificationclick: NotificationEvent
  notificationclose: NotificationEvent
  pushsubscriptionchange: SubscriptionChangeEvent
}
