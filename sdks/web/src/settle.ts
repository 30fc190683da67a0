import { call, type Service } from './call.ts'
import { addChange, changeOwner, dropOldChanges, nextChange, type Change } from './changes.ts'
import { addressOf, describeDevice, isMadeWith, noteRegistered, registerDevice, rotateDevice } from './device.ts'
import { asHeraldError, failed, isTemporary, type HeraldError } from './herald-error.ts'
import type { Options } from './options.ts'
import type { Kept, Store } from './store.ts'
import { subscribeBrowser } from './subscribe-browser.ts'

/** What is needed to tell Herald what it does not know yet. */
export type Telling = {
  service: Service
  store: Store
  registration: ServiceWorkerRegistration | undefined
  identityToken: Options['identityToken']
  /** Who is logged in, as this page knows it. */
  externalId: string | undefined
  /** Takes what Herald refused, by the id of the change. */
  refused: Map<string, HeraldError>
}

type Subscription = PushSubscription | null | undefined

const week = 7 * 86_400_000
const halfHour = 30 * 60_000

/** A change with an id of its own and the time it was made. */
export const made = (change: Omit<Change, 'id' | 'at'>): Change => ({ ...change, id: crypto.randomUUID(), at: Date.now() })

/** The change that says who uses this browser, or that it is nobody known. */
export const ownerChange = (externalId?: string): Omit<Change, 'id' | 'at'> => {
  const kind = externalId ? 'login' : 'logout'
  return { kind, path: `/${kind}`, ...(externalId && { body: { externalId } }) }
}

/** What registers this browser. */
export const registering = { kind: 'register' } as const

/** SHA-256: enough to see that a person is the same, without keeping the name. */
export async function hashOf(text: string): Promise<string> {
  return String(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/**
 * Tells Herald all that it does not know: first where this browser is reached, then what waits, in order, then that it is still there.
 * Throws what may succeed later; what Herald refused is noted for whoever asked for it. Runs in a turn of its own.
 */
export async function settle(telling: Telling): Promise<void> {
  await telling.store(dropOldChanges)
  const subscription = await keepSubscribed(telling)
  if (subscription) await keepAddress(telling, subscription)
  await sendChanges(telling, subscription)
  if (subscription) await stayKnown(telling, subscription)
}

/** The browser's subscription, made anew when it got lost or the app's key has changed. */
async function keepSubscribed({ store, registration }: Telling): Promise<Subscription> {
  const { wanted, key } = await store()
  const manager = registration?.pushManager
  const subscription = await manager?.getSubscription()
  if (!manager || !wanted || !key || Notification.permission !== 'granted' || (subscription && isMadeWith(subscription, key))) {
    return subscription
  }
  // A second subscription with another key is refused while there is the first (InvalidStateError).
  await subscription?.unsubscribe()
  return subscribeBrowser(manager, key)
}

/**
 * Sees to it that Herald knows where this browser is reached. Of a subscription of which nothing is kept any more it is asked by the same
 * call: an opt-out at Herald stays, since this is no registration.
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
      now.device = { found: !known, ...now.device, id, endpoint }
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
      // A key that was replaced is mended by the page, and an opt-out must not be lost until then.
      if (status === 401) return
      await store(remove)
    }
  }
}

/** Herald has lost the device, or somebody removed it: it is registered again, but never for who has opted out. */
function beginAnew(kept: Kept): void {
  const mayRegister = kept.wanted && !kept.out && !kept.device.found
  kept.device = {}
  kept.changes = kept.changes.filter(({ kind }) => kind !== 'opted' && kind !== 'logout')
  if (mayRegister) addChange(kept, made(registering))
}

/** Tells Herald one change, and answers what is known after it. */
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

/** Says now and then that the browser is still there: once a week, when it is another language or zone, and a session each half hour. */
async function stayKnown(telling: Telling, subscription: PushSubscription): Promise<void> {
  const { service, store } = telling
  const kept = await store()
  const { id, saidAt = 0, seenAt = 0, told, found } = kept.device
  if (!id) return
  const now = Date.now()
  try {
    // Of a device that was found again it is not known whether the person has opted out.
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
