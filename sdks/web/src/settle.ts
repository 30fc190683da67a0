import { call, type Service } from './call.ts'
import { addChange, changeOwner, dropOldChanges, nextChange, type Change } from './changes.ts'
import { addressOf, describeDevice, forgetDevice, isMadeWith, noteRegistered, registerDevice, rotateDevice } from './device.ts'
import { asHeraldError, HeraldError, isTemporary } from './herald-error.ts'
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
}

type Subscription = PushSubscription | null | undefined

const week = 7 * 86_400_000
const halfHour = 30 * 60_000

/** A change with an id of its own and the time it was made. */
export const made = (change: object): Change => ({ ...change, id: crypto.randomUUID(), at: Date.now() }) as Change

/** SHA-256: enough to see that a person is the same, without keeping the name. */
export async function hashOf(text: string): Promise<string> {
  return String(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/**
 * Tells Herald all that it does not know: first where this browser is reached, then what waits, in order, then that it is still there.
 * Throws what may succeed later; what Herald refused is noted for whoever asked for it. Runs in a turn of its own.
 */
export async function settle(telling: Telling): Promise<void> {
  await telling.store.update((kept) => dropOldChanges(kept, Date.now()))
  const subscription = await keepSubscribed(telling)
  if (subscription) await keepAddress(telling, subscription)
  await sendChanges(telling, subscription)
  if (subscription) await stayKnown(telling, subscription)
}

/** The browser's subscription, made anew when it got lost or the app's key has changed. */
async function keepSubscribed({ store, registration }: Telling): Promise<Subscription> {
  const { wanted, key } = await store.read()
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
  const kept = await store.read()
  const { endpoint } = subscription
  const isToRegister = !kept.optedOut && kept.changes.some(({ kind }) => kind === 'register')
  if (kept.endpoint ? kept.endpoint === endpoint : isToRegister || kept.stranger === endpoint) return
  const id = await rotateDevice(service, kept.endpoint ?? endpoint, addressOf(subscription))
  await store.update((now) => {
    if (id) Object.assign(now, { id, endpoint, wanted: true, isFound: now.isFound ?? !kept.endpoint })
    else if (kept.endpoint) beginAnew(now)
    else {
      now.stranger = endpoint
      now.changes = now.changes.filter(({ kind }) => kind !== 'opted')
    }
  })
}

async function sendChanges(telling: Telling, subscription: Subscription): Promise<void> {
  const { store } = telling
  for (let isAnew = false; ;) {
    const kept = await store.read()
    const change = nextChange(kept)
    if (!change) return
    const remove = (now: Kept) => void (now.changes = now.changes.filter(({ id }) => id !== change.id))
    try {
      const apply = await sendChange(telling, change, kept, subscription)
      await store.update((now) => {
        remove(now)
        apply(now)
      })
    } catch (thrown) {
      const error = asHeraldError(thrown)
      const { status, message } = error
      if (isTemporary(error)) throw error
      if (status === 404 && !isAnew) {
        isAnew = true
        await store.update(beginAnew)
        continue
      }
      await store.update((now) => {
        // A key that was replaced is mended by the page, and an opt-out must not be lost until then.
        if (status !== 401) remove(now)
        now.refused = { change: change.id, error: { ...error, message } }
      })
      if (status === 401) return
    }
  }
}

/** Herald has lost the device, or somebody removed it: it is registered again, but never for who has opted out. */
function beginAnew(kept: Kept): void {
  const mayRegister = kept.wanted && !kept.optedOut && !kept.isFound
  forgetDevice(kept)
  kept.changes = kept.changes.filter(({ kind }) => kind !== 'opted' && kind !== 'logout')
  if (mayRegister) addChange(kept, made({ kind: 'register' }))
}

/** Tells Herald one change, and answers what is known after it. */
async function sendChange(telling: Telling, change: Change, kept: Kept, subscription: Subscription): Promise<(kept: Kept) => void> {
  const { service } = telling
  const tell = <T>(method: string, path: string, body?: object, token?: string) =>
    call<T & { userId: string }>(service, method, `subscriptions/${kept.id}${path}`, body, token)
  if (change.kind === 'register' && subscription) {
    const registered = await registerDevice(service, kept, addressOf(subscription))
    const { externalId } = telling
    return (now) => {
      noteRegistered(now, registered, subscription.endpoint)
      if (externalId && !now.person) addChange(now, made({ kind: 'login', externalId }))
    }
  }
  if (change.kind === 'login') {
    const { externalId } = change
    const person = await hashOf(externalId)
    const token = await Promise.resolve(externalId)
      .then(telling.identityToken)
      .catch(() => {
        throw new HeraldError('identity_token_failed', 'identityToken did not answer a token.')
      })
    const { userId } = await tell('POST', '/login', { externalId }, token)
    return (now) => changeOwner(now, userId, person)
  }
  if (change.kind === 'logout') {
    const { userId } = await tell('POST', '/logout')
    return (now) => changeOwner(now, userId, undefined)
  }
  if (change.kind === 'user') await tell('PATCH', '/user', change.user)
  if (change.kind === 'opted') await tell('PATCH', '', { optedIn: change.optedIn })
  if (change.kind === 'delete' && change.subscription) {
    await call(service, 'DELETE', `subscriptions/${change.subscription}`).catch((error: HeraldError) => {
      if (error.status !== 404) throw error
    })
  }
  return () => undefined
}

/** Says now and then that the browser is still there: once a week, when it is another language or zone, and a session each half hour. */
async function stayKnown(telling: Telling, subscription: PushSubscription): Promise<void> {
  const { service, store } = telling
  const kept = await store.read()
  const { id, registeredAt = 0, sessionAt = 0, described, optedOut, isFound } = kept
  if (!id) return
  const now = Date.now()
  try {
    // Of a device that was found again it is not known whether the person has opted out.
    if (!optedOut && !isFound && (described !== JSON.stringify(describeDevice(kept)) || now - registeredAt >= week)) {
      const registered = await registerDevice(service, kept, addressOf(subscription))
      await store.update((later) => noteRegistered(later, registered, subscription.endpoint))
    } else if (now - sessionAt >= halfHour) {
      await call(service, 'POST', `subscriptions/${id}/session`)
      await store.update((later) => void (later.sessionAt = now))
    }
  } catch (error) {
    if ((error as HeraldError).status !== 404) throw error
    await store.update(beginAnew)
    await sendChanges(telling, subscription)
  }
}
