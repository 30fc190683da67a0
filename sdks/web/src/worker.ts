import { isOwnerUncertain } from './changes.ts'
import { addressOf, keepAddress, toBytes } from './device.ts'
import { openTurns } from './exclusively.ts'
import { readMessage, userOf, type Message } from './message.ts'
import { openWindow } from './open-window.ts'
import { report } from './report.ts'
import { openStore, type Kept, type Store } from './store.ts'
import type { ExtendableEvent, NotificationEvent, PushEvent, SubscriptionChangeEvent, WorkerScope } from './worker-types.ts'

export type { Message } from './message.ts'

/** What `start` takes. All of it may be left out. */
export type WorkerOptions = {
  /** More for `showNotification`, such as an icon or a badge. */
  show?: (message: Message) => NotificationOptions | undefined
  /** Where a click leads. Nothing opens when it answers undefined. */
  click?: (message: Message, action: string | undefined) => string | undefined
  /** Whether a push that was shown is reported as delivered. 'auto': not in Safari, until it has been seen there. */
  reportDelivered?: 'auto' | boolean
}

/** What our notifications carry, so that a click knows what it is about. */
type Carried = { herald: Message }

const scope = globalThis as unknown as WorkerScope

const carriedBy = (notification: Notification): Message | undefined => (notification.data as Carried | null)?.herald

/** Whether a push or a click is for Herald, so that handlers of your own can leave it alone. */
export function isOurs(event: Event): boolean {
  const { data, notification } = event as Partial<PushEvent & NotificationEvent>
  return notification ? carriedBy(notification) !== undefined : readMessage(data ?? null) !== 'foreign'
}

/** Starts Herald in a worker, alone or beside what the worker does already. Call it while the worker's script runs. */
export function start(options: WorkerOptions = {}): void {
  const place = scope.registration.scope
  const store = openStore(place)
  const inTurn = openTurns(`herald ${place}`)
  /** Notifications that closed because they were clicked or replaced. Firefox says of both that they were closed. */
  const settled = new Set<string>()
  const listen = <E extends ExtendableEvent>(name: string, handle: (event: E) => Promise<void> | undefined) =>
    scope.addEventListener(name, (event) => {
      const work = handle(event as E)
      if (work) (event as E).waitUntil(work)
    })

  listen<PushEvent>('push', ({ data }) => {
    const message = readMessage(data)
    return message === 'foreign' ? undefined : showMessage(message)
  })

  async function showMessage(given: Message | undefined): Promise<void> {
    const kept = await store.read()
    const message = given && isForOwner(kept, given) ? given : undefined
    await show(message, given?.tag)
    if (message) await tellPages('push', message)
    const delivered = message && reportsDelivered(options) ? [`d/${message.data.msgId}`] : []
    await report(store, kept.service?.baseUrl, delivered)
    await tellAddress(store, inTurn)
  }

  async function show(message: Message | undefined, tag: string | undefined): Promise<void> {
    if (tag) {
      for (const notification of await scope.registration.getNotifications({ tag })) remember(settled, carriedBy(notification)?.data.msgId)
    }
    const { title = '', body = '', icon, image, actions = [] } = message ?? {}
    await scope.registration.showNotification(title || scope.location.hostname, {
      body,
      ...(icon && { icon }),
      ...(image && { image }),
      ...(tag && { tag }),
      actions: actions.map(({ id, title }) => ({ action: id, title })),
      data: { herald: message ?? { title, body, data: {} } },
      ...(message && options.show?.(message)),
    } as NotificationOptions)
  }

  listen<NotificationEvent>('notificationclick', ({ notification, action }) => {
    const message = carriedBy(notification)
    if (!message) return undefined
    remember(settled, message.data.msgId)
    notification.close()
    return followClick(message, action || undefined)
  })

  async function followClick(message: Message, action: string | undefined): Promise<void> {
    const link = message.actions?.find(({ id }) => id === action)?.url ?? message.url
    const url = options.click ? options.click(message, action) : (link ?? '')
    const { msgId, ...data } = message.data
    if (url !== undefined)
      await openWindow(scope, url, { herald: place, name: 'click', event: { url: url || undefined, action, title: message.title, data } })
    if (!msgId) return
    const clicked = action ? [`c/${msgId}?action=${encodeURIComponent(action)}`] : link ? [`c/${msgId}`] : []
    await report(store, (await store.read()).service?.baseUrl, [`o/${msgId}`, ...clicked])
  }

  listen<NotificationEvent>('notificationclose', ({ notification }) => {
    const msgId = carriedBy(notification)?.data.msgId
    if (!msgId || settled.delete(msgId)) return undefined
    return store.read().then(({ service }) => report(store, service?.baseUrl, [`x/${msgId}`]))
  })

  listen<SubscriptionChangeEvent>('pushsubscriptionchange', ({ oldSubscription, newSubscription }) =>
    subscribeAgain(store, oldSubscription, newSubscription).then(() => tellAddress(store, inTurn)),
  )

  async function tellPages(name: string, { title, body, url, data: { msgId: _, ...data } }: Message): Promise<void> {
    for (const page of await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })) {
      page.postMessage({ herald: place, name, event: { title, body, url, data } })
    }
  }
}

/** Whether the text may be shown: not while a logout is not confirmed, and not when it was meant for who was logged in before. */
const isForOwner = (kept: Kept, { data: { msgId } }: Message): boolean =>
  !isOwnerUncertain(kept) && !kept.formerUsers?.includes(userOf(msgId) ?? '')

const reportsDelivered = ({ reportDelivered = 'auto' }: WorkerOptions): boolean =>
  reportDelivered === 'auto' ? !/^((?!Chrom|Android).)*Safari/.test(scope.navigator.userAgent) : reportDelivered

function remember(settled: Set<string>, msgId: string | undefined): void {
  if (!msgId) return
  settled.add(msgId)
  if (settled.size > 100) settled.delete(settled.values().next().value!)
}

/** Makes a subscription again that the browser gave up, with the key it had. */
async function subscribeAgain(
  store: Store,
  old: PushSubscription | null | undefined,
  made: PushSubscription | null | undefined,
): Promise<void> {
  const { wanted, key, endpoint } = await store.read()
  if (!wanted && !old) return
  const applicationServerKey = key ? toBytes(key) : old?.options.applicationServerKey
  if (!made && applicationServerKey) await scope.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  if (!endpoint && old) await store.update((kept) => void (kept.endpoint = addressOf(old).endpoint))
}

/** Tells Herald a new endpoint. When it cannot be told now, the next push or the next load of the page tries again. */
async function tellAddress(store: Store, inTurn: ReturnType<typeof openTurns>): Promise<void> {
  try {
    await inTurn(async () => {
      const kept = await store.read()
      const subscription = await scope.registration.pushManager.getSubscription()
      if (!kept.service || !subscription) return
      const apply = await keepAddress(kept.service, kept, subscription)
      if (apply) await store.update(apply)
    })
  } catch {
    // What is kept still names the old endpoint.
  }
}
