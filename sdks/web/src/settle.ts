import { call, type Service } from './call.ts'
import { addChange, changeOwner, dropOldChanges, nextChange, type Change } from './changes.ts'
import {
  addressOf,
  describeDevice,
  forgetDevice,
  isMadeWith,
  keepAddress,
  noteRegistered,
  registerDevice,
  rotateDevice,
  toBytes,
} from './device.ts'
import { asHeraldError, HeraldError, isTemporary } from './herald-error.ts'
import type { Kept, Store } from './store.ts'

/** What is needed to tell Herald what it does not know yet. */
export type Telling = {
  service: Service
  store: Store
  registration(): ServiceWorkerRegistration | undefined
  identityToken(externalId: string): Promise<string | undefined>
  /** Who is logged in, as this page knows it. */
  externalId(): string | undefined
}

type Apply = (kept: Kept) => void

const week = 7 * 86_400_000
const halfHour = 30 * 60_000
export const newId = (): string => Math.random().toString(36).slice(2)

/** SHA-256 as text: enough to see that a person is the same, without keeping the name. */
export async function hashOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Tells Herald all that it does not know: first where this browser is reached, then what waits, in order, then that it is still there.
 * Throws what may succeed later; what Herald refused is noted for whoever asked for it. Runs in a turn of its own.
 */
export async function settle(telling: Telling): Promise<void> {
  const { service, store } = telling
  await store.update((kept) => dropOldChanges(kept, Date.now()))
  const subscription = await keepSubscribed(telling)
  const kept = await store.read()
  if (subscription) {
    const apply = kept.id === undefined ? await findAgain(service, kept, subscription) : await keepAddress(service, kept, subscription)
    if (apply) await store.update(apply)
  }
  await sendChanges(telling, subscription)
  if (subscription) await stayKnown(telling, subscription)
}

/** The browser's subscription, made anew when it got lost or the app's key has changed. */
async function keepSubscribed({ store, registration }: Telling): Promise<PushSubscription | undefined> {
  const { wanted, key } = await store.read()
  const manager = registration()?.pushManager
  if (!manager) return undefined
  const subscription = await manager.getSubscription()
  if (!wanted || !key || Notification.permission !== 'granted' || (subscription && isMadeWith(subscription, key))) {
    return subscription ?? undefined
  }
  // A second subscription with another key is refused while there is the first (InvalidStateError).
  await subscription?.unsubscribe()
  return await subscribeBrowser(manager, key)
}

/** Subscribes at the push service. Nothing is awaited before: Safari asks only while the click lasts. */
export const subscribeBrowser = (manager: PushManager, key: string): Promise<PushSubscription> =>
  manager.subscribe({ userVisibleOnly: true, applicationServerKey: toBytes(key) })

/** The device of a subscription of which nothing is kept any more. An opt-out at Herald stays: this is no registration. */
async function findAgain(service: Service, kept: Kept, subscription: PushSubscription): Promise<Apply | undefined> {
  const isToRegister = !kept.optedOut && kept.changes.some(({ kind }) => kind === 'register')
  const { endpoint } = subscription
  if (isToRegister || kept.stranger === endpoint) return undefined
  const id = await rotateDevice(service, endpoint, addressOf(subscription))
  if (id !== undefined) return (now) => void Object.assign(now, { id, endpoint, wanted: true, isFound: true })
  return (now) => {
    now.stranger = endpoint
    now.changes = now.changes.filter(({ kind }) => kind !== 'opted')
  }
}

async function sendChanges(telling: Telling, subscription: PushSubscription | undefined): Promise<void> {
  const { store } = telling
  let isSecond = false
  for (;;) {
    const kept = await store.read()
    const change = nextChange(kept)
    if (!change) return
    const remove = (now: Kept) => void (now.changes = now.changes.filter(({ id }) => id !== change.id))
    try {
      const apply = await sendChange(telling, change, kept, subscription)
      await store.update((now) => {
        remove(now)
        apply?.(now)
      })
    } catch (thrown) {
      const error = asHeraldError(thrown)
      if (isTemporary(error)) throw error
      if (error.status === 404 && !isSecond && change.kind !== 'register') {
        isSecond = true
        await store.update((now) => beginAnew(now, subscription !== undefined))
        continue
      }
      const { code, message, status, details, requestId } = error
      await store.update((now) => {
        // A key that was replaced is mended by the page, and an opt-out must not be lost until then.
        if (status !== 401) remove(now)
        now.refused = { change: change.id, error: { code, message, status, details, requestId } }
      })
      if (status === 401) return
    }
  }
}

/** Herald has lost the device, or somebody removed it: it is registered again, but never for who has opted out. */
function beginAnew(kept: Kept, isSubscribed: boolean): void {
  forgetDevice(kept)
  kept.changes = kept.changes.filter(({ kind }) => kind !== 'opted' && kind !== 'logout')
  if (!kept.optedOut && kept.wanted && isSubscribed) addChange(kept, { id: newId(), at: Date.now(), kind: 'register', user: {} })
}

async function sendChange(
  telling: Telling,
  change: Change,
  kept: Kept,
  subscription: PushSubscription | undefined,
): Promise<Apply | undefined> {
  const { service } = telling
  const path = `subscriptions/${kept.id}`
  switch (change.kind) {
    case 'register': {
      if (!subscription) return undefined
      const address = addressOf(subscription)
      const registered = await registerDevice(service, kept, address, change.user)
      const externalId = telling.externalId()
      return (now) => {
        noteRegistered(now, registered, address.endpoint, Date.now())
        if (externalId !== undefined && now.person === undefined) {
          addChange(now, { id: newId(), at: Date.now(), kind: 'login', externalId })
        }
      }
    }
    case 'user':
      await call(service, 'PATCH', `${path}/user`, { body: change.user })
      return undefined
    case 'login': {
      const { externalId } = change
      const token = await telling.identityToken(externalId)
      const { userId } = await call<{ userId: string }>(service, 'POST', `${path}/login`, { body: { externalId }, token })
      const person = await hashOf(externalId)
      return (now) => changeOwner(now, userId, person)
    }
    case 'logout': {
      const { userId } = await call<{ userId: string }>(service, 'POST', `${path}/logout`)
      return (now) => changeOwner(now, userId, undefined)
    }
    case 'opted':
      await call(service, 'PATCH', path, { body: { optedIn: change.optedIn } })
      return undefined
    case 'delete':
      await call(service, 'DELETE', `subscriptions/${change.subscription}`).catch((error: unknown) => {
        if ((error as HeraldError).status !== 404) throw error
      })
      return undefined
  }
}

/** Says now and then that the browser is still there: once a week, when it is another language or zone, and a session each half hour. */
async function stayKnown({ service, store }: Telling, subscription: PushSubscription): Promise<void> {
  const kept = await store.read()
  const { id, registeredAt = 0, sessionAt = 0, described, optedOut, isFound } = kept
  if (id === undefined) return
  const now = Date.now()
  try {
    // Of a device that was found again it is not known whether the person has opted out.
    if (!optedOut && !isFound && (described !== JSON.stringify(describeDevice(kept)) || now - registeredAt >= week)) {
      const address = addressOf(subscription)
      const registered = await registerDevice(service, kept, address, {})
      await store.update((later) => noteRegistered(later, registered, address.endpoint, now))
    } else if (now - sessionAt >= halfHour) {
      await call(service, 'POST', `subscriptions/${id}/session`)
      await store.update((later) => void (later.sessionAt = now))
    }
  } catch (error) {
    if ((error as HeraldError).status !== 404) throw error
    await store.update((later) => beginAnew(later, true))
  }
}
