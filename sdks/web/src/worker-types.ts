/** Types of a worker that a page's types lack, as far as they are used here. */
export type WorkerScope = EventTarget & {
  registration: ServiceWorkerRegistration
  location: Location
  navigator: Navigator
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

/** The events that Herald listens to, by name. */
export type WorkerEvents = {
  push: PushEvent
  notificationclick: NotificationEvent
  notificationclose: NotificationEvent
  pushsubscriptionchange: SubscriptionChangeEvent
}
