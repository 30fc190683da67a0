import { call, type Service } from './call.ts'
import { addChange, changeOwner, dropOldChanges, nextChange } from './changes.ts'
import { addressOf, describeDevice, isMadeWith, noteRegistered, registerDevice, rotateDevice } from './device.ts'
import { asHeraldError, failed, isTemporary, type HeraldError } from './herald-error.ts'
import type { Options } from './options.ts'
import type { Kept, Store, Change } from './store.ts'
import { subscribeBrowser } from './subscribe-browser.ts'

/** What `settle` works with. */
export type Telling = {
  service: Service
  store: Store
  registration: ServiceWorkerRegistration | undefined
  identityToken: Options['identityToken']
  /** The external id with which this page has called `login`; undefined before it has. */
  externalId: string | undefined
  /** The errors of changes that Herald refused, by the id of the change. `settle` fills it. */
  refused: Map<string, HeraldError>
}

type Subscription = PushSubscription | null | undefined

const week = 7 * 86_400_000
const halfHour = 30 * 60_000

/** Gives a change an id and the present time. */
export const made = (change: Omit<Change, 'id' | 'at'>): Change => ({ ...change, id: crypto.randomUUID(), at: Date.now() })

/** Gives the change that logs the user with this external id in, or the user out when there is none. */
export const ownerChange = (externalId?: string): Omit<Change, 'id' | 'at'> => {
  const kind = externalId ? 'login' : 'logout'
  return { kind, path: `/${kind}`, ...(externalId && { body: { externalId } }) }
}

/** The change that registers this browser. */
export const registering = { kind: 'register' } as const

/** Gives the SHA-256 of an external id. The SDK stores it instead of the id, and recognises the same user by it. */
export async function hashOf(text: string): Promise<string> {
  return String(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/**
 * Sends what Herald does not know: the endpoint, the waiting changes in order, then that the browser exists. A change refused for good is in
 * `refused`; `beginAnew` forgets an unknown device; other errors are thrown. One call at a time.
 */
export async function settle(telling: Telling): Promise<void> {
  await telling.store(dropOldChanges)
  const subscription = await keepSubscribed(telling)
  if (subscription) await keepAddress(telling, subscription)
  await sendChanges(telling, subscription)
  if (subscription) await stayKnown(telling, subscription)
}

/**
 * Gives the browser's subscription. Makes a new one, if the permission is granted, when a wanted one is lost, or when it has another VAPID key than
 * the app (another provider's) and the user has not unsubscribed here.
 */
async function keepSubscribed({ store, registration }: Telling): Promise<Subscription> {
  const { wanted, key } = await store()
  const manager = registration?.pushManager
  const subscription = await manager?.getSubscription()
  const isRight = subscription ? wanted === false || isMadeWith(subscription, key!) : !wanted
  if (isRight || !manager || !key || Notification.permission !== 'granted') return subscription
  // Herald may know another provider's endpoint from an import, so it is told what replaces it.
  await store((kept) => {
    kept.wanted = true
    if (subscription) kept.device.endpoint ??= subscription.endpoint
  })
  // A browser refuses to subscribe with a new key while it has a subscription with the old one (InvalidStateError).
  await subscription?.unsubscribe()
  return subscribeBrowser(manager, key)
}

/**
 * Makes sure that Herald knows this browser's endpoint. When the SDK's record was lost, finds the device by a rotation of the endpoint to itself,
 * which keeps an opt-out; a registration would opt the device in again.
 */
async function keepAddress({ service, store }: Telling, subscription: PushSubscription): Promise<void> {
  const kept = await store()
  const { endpoint } = subscription
  const isToRegister = !kept.out && kept.changes.some(({ kind }) => kind === 'register')
  const known = kept.device.endpoint
  if (known ? known === endpoint : isToRegister || kept.stranger === endpoint) return
  const id = await rotateDevice(service, known ?? endpoint, addressOf(subscription))
  await store((now) => {
    if (id) {
      now.wanted = true
      now.device = { found: !kept.device.id, ...now.device, id, endpoint }
    } else if (known) beginAnew(now)
    else {
      now.stranger = endpoint
      now.changes = now.changes.filter(({ kind }) => kind !== 'opted')
    }
  })
}

async function sendChanges(telling: Telling, subscription: Subscription): Promise<void> {
  const { store, refused } = telling
  for (let isAnew = false; ;) {
    const kept = await store()
    const change = nextChange(kept)
    if (!change) return
    const remove = (now: Kept) => void (now.changes = now.changes.filter(({ id }) => id !== change.id))
    try {
      const apply = await sendChange(telling, change, kept, subscription)
      await store((now) => {
        remove(now)
        apply(now)
      })
    } catch (thrown) {
      const error = asHeraldError(thrown)
      const { status } = error
      if (isTemporary(error)) throw error
      if (status === 404 && !isAnew && !change.device) {
        isAnew = true
        await store(beginAnew)
        continue
      }
      refused.set(change.id, error)
      // 401 means that Herald does not take the app key any more. The waiting changes stay stored, because a later page may have a new key, and one
      // of the changes may be an opt-out.
      if (status === 401) return
      await store(remove)
    }
  }
}

/**
 * Forgets a device that Herald does not know, with its waiting opt-ins, opt-outs and logouts. Adds a registration when the user has subscribed and
 * not opted out, but none for a device found again (`found`), whose user may have.
 */
function beginAnew(kept: Kept): void {
  const mayRegister = kept.wanted && !kept.out && !kept.device.found
  kept.device = {}
  kept.changes = kept.changes.filter(({ kind }) => kind !== 'opted' && kind !== 'logout')
  if (mayRegister) addChange(kept, made(registering))
}

/** Sends one change. Gives the function that applies what Herald answered to the stored record. */
async function sendChange(telling: Telling, change: Change, kept: Kept, subscription: Subscription): Promise<(kept: Kept) => void> {
  const { service, externalId, identityToken } = telling
  const { kind, method = 'POST', path = '', body, device = kept.device.id } = change
  if (kind === 'register') {
    if (!subscription) return nothing
    const registered = await registerDevice(service, kept, addressOf(subscription))
    return (now) => {
      noteRegistered(now, registered, subscription.endpoint)
      if (externalId && !now.device.person) addChange(now, made(ownerChange(externalId)))
    }
  }
  const name = body?.externalId
  const tokenOf = async () => (name ? identityToken?.(name) : undefined)
  const token = await tokenOf().catch(() => {
    throw failed('identity_token_failed')
  })
  const person = name && (await hashOf(name))
  const { userId } = await call<{ userId: string }>(service, method, `subscriptions/${device}${path}`, body, token)
  return /^log/.test(kind) ? (now) => changeOwner(now, userId, person) : nothing
}

const nothing = () => undefined

/**
 * Shows Herald that the browser still exists. Registers again after a week or when `describeDevice` gives another text, unless the user has or may
 * have opted out. Otherwise reports a session, half an hour after the last one or registration.
 */
async function stayKnown(telling: Telling, subscription: PushSubscription): Promise<void> {
  const { service, store } = telling
  const kept = await store()
  const { id, saidAt = 0, seenAt = 0, told, found } = kept.device
  if (!id) return
  const now = Date.now()
  try {
    // A device that was found again may have opted out, and a registration would opt it in.
    if (!kept.out && !found && (told !== describeDevice() || now - saidAt >= week)) {
      const registered = await registerDevice(service, kept, addressOf(subscription))
      await store((later) => noteRegistered(later, registered, subscription.endpoint))
    } else if (now - seenAt >= halfHour) {
      await call(service, 'POST', `subscriptions/${id}/session`)
      await store((later) => void (later.device.seenAt = now))
    }
  } catch (error) {
    if ((error as HeraldError).status !== 404) throw error
    await store(beginAnew)
    await sendChanges(telling, subscription)
  }
}
