import { ask } from './call.ts'
import { isOwnerUncertain } from './changes.ts'
import { addressOf } from './device.ts'
import { readMessage, userOf, type Message } from './message.ts'
import { openWindow, tell } from './open-window.ts'
import { report } from './report.ts'
import { openStore, type Kept } from './store.ts'
import type { NotificationEvent, PushEvent, WorkerEvents, WorkerScope } from './worker-types.ts'

export type { Message } from './message.ts'

/** The options of `start`, all optional. */
export type WorkerOptions = {
  /** Gives more options for `showNotification`, such as an icon or a badge. */
  show?: (message: Message) => NotificationOptions | undefined
  /** Gives the address that a click opens. When it gives undefined, nothing is opened, and no page gets a `click` event. */
  click?: (message: Message, action: string | undefined) => string | undefined
  /**
   * Whether the worker reports each push that it has shown as delivered. `'auto'` means that it does so in every browser but Safari, where this was
   * not tried.
   */
  reportDelivered?: 'auto' | boolean
}

const scope = globalThis as unknown as WorkerScope

const messageOf = (notification: Notification): Message | undefined => (notification.data as { herald?: Message } | null)?.herald

/** Whether a push or a click belongs to Herald. Handlers of your own should ignore every event for which this is true. */
export function isOurs(event: Event): boolean {
  const { data, notification } = event as Partial<PushEvent & NotificationEvent>
  return (notification ? messageOf(notification) : readMessage(data)) !== undefined
}

/** Starts Herald in a service worker, which may contain other code. Call it at the top level of the worker's script, so that no event is missed. */
export function start({ show, click, reportDelivered = 'auto' }: WorkerOptions = {}): void {
  const { registration, clients } = scope
  const store = openStore(registration.scope)
  /** The msgIds of notifications that were clicked or replaced. Firefox fires a close event for them too, which is not a dismissal by the user. */
  const settled = new Set<string>()

  const on = <Name extends keyof WorkerEvents>(name: Name, handle: (event: WorkerEvents[Name]) => Promise<void>) => {
    const listen = (event: WorkerEvents[Name]) => (name.startsWith('pushs') || isOurs(event)) && event.waitUntil(handle(event))
    scope.addEventListener(name, listen as unknown as EventListener)
  }
  const pages = () => clients.matchAll({ type: 'window', includeUncontrolled: true })
  const eventOf = ({ title, body, url, data }: Message) => ({ title, body, url, data })
  const remember = (msgId: string) => {
    settled.add(msgId)
    if (settled.size > 100) settled.delete([...settled][0]!)
  }

  scope.addEventListener('message', (event) => {
    const { data, ports } = event as MessageEvent
    if (data?.herald === 'hello') ports[0]!.postMessage(1)
    // The page says so only while the active worker is another provider's.
    if (data?.herald === 'take-over') void scope.skipWaiting()
  })

  /** Tells the site's pages of a push. Gives whether a visible one says within 300 ms that no notification is to be shown. */
  const tellPages = async (message: Message): Promise<boolean> => {
    const event = { herald: registration.scope, name: 'push', event: eventOf(message) }
    const answers = (await pages()).map(async (page) => {
      const answer = tell(page, event, 300)
      return page.visibilityState === 'visible' && (await answer)
    })
    return (await Promise.all(answers)).includes(true)
  }

  on('push', async ({ data }) => {
    const sent = readMessage(data)!
    const message = isForOwner(await store(), sent) ? sent : undefined
    const { tag } = sent
    for (const shown of tag ? await registration.getNotifications({ tag }) : []) remember(messageOf(shown)?.data.msgId ?? '')
    const { title, body = '', silent, url: _url, actions, appBadge, ...options } = message ?? ({} as Partial<Message>)
    const name = title || scope.location.hostname
    const shownAs = { body, tag, silent, data: { herald: message ?? { data: {} } } } as NotificationOptions
    const isPrevented = message && (await tellPages(message))
    try {
      const more = {
        ...options,
        ...shownAs,
        actions: actions?.map(({ id, title }) => ({ action: id, title })),
        ...(message && show?.(message)),
      }
      if (!isPrevented) await registration.showNotification(name, more)
    } catch {
      // The browser refused an icon or another option, so the text is shown without them.
      await registration.showNotification(name, shownAs)
    }
    // Few browsers have the Badging API, and only for a site that is installed.
    if (appBadge !== undefined) await scope.navigator.setAppBadge?.(appBadge).catch(() => undefined)
    await report(store, message && (reportDelivered === 'auto' ? !isSafari() : reportDelivered) ? [`d/${message.data.msgId}`] : [])
    await keepAddress()
  })

  on('notificationclick', async ({ notification, action }) => {
    const message = messageOf(notification)!
    const { msgId } = message.data
    remember(msgId)
    notification.close()
    const link = message.actions?.find(({ id }) => id === action)?.url ?? message.url
    const url = click ? click(message, action || undefined) : (link ?? '')
    if (url !== undefined) {
      const event = { ...eventOf(message), url: url || undefined, action: action || undefined }
      // The click is reported also when the browser opens no window.
      await openWindow(scope, await pages(), url, { herald: registration.scope, name: 'click', event }).catch(() => undefined)
    }
    const clicked = action ? [`c/${msgId}?action=${encodeURIComponent(action)}`] : link ? [`c/${msgId}`] : []
    if (msgId) await report(store, [`o/${msgId}`, ...clicked])
  })

  on('notificationclose', async ({ notification }) => {
    const { msgId } = messageOf(notification)!.data
    if (msgId && !settled.delete(msgId)) await report(store, [`x/${msgId}`])
  })

  on('pushsubscriptionchange', async ({ oldSubscription, newSubscription }) => {
    const { wanted, key } = await store()
    const options = oldSubscription?.options ?? (wanted && { userVisibleOnly: true, applicationServerKey: key! })
    if (!newSubscription && options) await registration.pushManager.subscribe(options)
    if (oldSubscription) await store((kept) => void (kept.device.endpoint ??= oldSubscription.endpoint))
    await keepAddress()
  })

  /**
   * Tells Herald the browser's new endpoint. Registers the browser when Herald does not know the device, unless the user has or may have opted out.
   * After a failure the next push or page tries again.
   */
  const keepAddress = () =>
    scope.navigator.locks
      .request(registration.scope, async () => {
        const { service, device, out } = await store()
        const { endpoint, found } = device
        const subscription = await registration.pushManager.getSubscription()
        if (!service || !endpoint || !subscription || subscription.endpoint === endpoint) return
        const address = addressOf(subscription)
        const post = (path: string, body: object) => ask(service, 'POST', `subscriptions${path}`, body)
        let response = await post('/rotate', { old: endpoint, new: address })
        if (response.status === 404 && !out && !found) response = await post('', { platform: 'web', ...address })
        if (!response.ok) return
        const { id, userId } = (await response.json()) as { id: string; userId?: string }
        // The answer to a registration has the id of a new anonymous user. The answer to a rotation has no user, and the stored user stays.
        await store((kept) => Object.assign(kept.device, { id, endpoint: address.endpoint }, userId && { userId, person: undefined }))
      })
      .catch(() => undefined)
}

/** Whether the text of a push may be shown: not while a logout or a change of users waits, and not when it is for a user who was logged in before. */
const isForOwner = (kept: Kept, { data: { msgId } }: Message): boolean => !isOwnerUncertain(kept) && !kept.former?.includes(userOf(msgId)!)

const isSafari = () => !/Chrom|Firefox/.test(scope.navigator.userAgent)
