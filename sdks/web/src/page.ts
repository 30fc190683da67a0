import { call } from './call.ts'
import { addChange, type Change, type UserChanges } from './changes.ts'
import { forgetDevice } from './device.ts'
import { openEvents, type Events } from './events.ts'
import { openTurns } from './exclusively.ts'
import { asHeraldError, HeraldError, isTemporary } from './herald-error.ts'
import type { Settings } from './options.ts'
import { hashOf, made, settle } from './settle.ts'
import { mayAsk, type AskLimits } from './soft-ask.ts'
import { openStore, type Kept } from './store.ts'
import { blocked, subscribeBrowser, untilActive } from './subscribe-browser.ts'
import { whyUnsupported, type Reason } from './support.ts'

/** Where this browser stands. */
export type State = {
  supported: boolean
  /** Why not, when it is not supported. */
  reason: Reason | undefined
  permission: NotificationPermission
  /** The person subscribed here, and the browser still has the subscription. */
  subscribed: boolean
  /** The device's id at Herald, once Herald knows it. */
  subscriptionId: string | undefined
  loggedIn: boolean
  optedIn: boolean
  /** Changes that Herald has not confirmed yet; they go out by themselves, in order. */
  waiting: number
  lastError: HeraldError | undefined
}

/**
 * Herald on a page. Each change answers the state after it. One that Herald could not be told now is `waiting` in there and goes out
 * later; one that Herald or the browser refuses rejects with a HeraldError.
 */
export type Herald = {
  /** Resolves when a click may call `subscribe`: the worker and the key are there. Resolves at once where there can be no pushes. */
  ready: Promise<State>
  state(): Promise<State>
  /** Asks for the permission and registers this browser. Call it in a click. */
  subscribe(user?: UserChanges): Promise<State>
  /** Asks with your own dialog first, and subscribes when it is answered true. A refusal is remembered. */
  softAsk(ask: () => boolean | Promise<boolean>, limits?: AskLimits): Promise<State>
  /** Ends the subscription and removes the device. */
  unsubscribe(): Promise<State>
  /** Says who uses this browser. Before `subscribe` it is kept and used then. */
  login(externalId: string): Promise<State>
  logout(): Promise<State>
  setTags(tags: NonNullable<UserChanges['tags']>): Promise<State>
  setUser(user: UserChanges): Promise<State>
  /** Stops the pushes and keeps the subscription; nothing but `optIn` starts them again. */
  optOut(): Promise<State>
  optIn(): Promise<State>
  /** Calls the handler from now on; the answer ends it. */
  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): () => void
}

const day = 86_400_000

type Without<T> = T extends Change ? Omit<T, 'id' | 'at'> : never

/** Opens Herald on this page: registers the worker, finds out the key, and tells Herald what it does not know. */
export function openPage({ service, scope, register, options }: Settings): Herald {
  const reason = whyUnsupported()
  const store = openStore(scope)
  const inTurn = openTurns(scope)
  const { on, emit } = openEvents()
  let registration: ServiceWorkerRegistration | undefined
  let key = options.vapidPublicKey
  let externalId: string | undefined
  let isOptedOut: boolean | undefined
  let lastError: HeraldError | undefined
  let lastState: string | undefined
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let becomeReady: () => void
  const ready = new Promise<void>((resolve) => (becomeReady = resolve))

  async function readState(): Promise<State> {
    const [kept, subscription] = await Promise.all([store.read(), registration?.pushManager.getSubscription()])
    isOptedOut = kept.optedOut
    return {
      supported: !reason,
      reason,
      permission: reason ? 'denied' : Notification.permission,
      subscribed: !!kept.wanted && !!subscription,
      subscriptionId: kept.id,
      loggedIn: !!kept.person,
      optedIn: !isOptedOut,
      waiting: kept.changes.length,
      lastError,
    }
  }

  /** The state; handlers of `change` hear it when it is another than before. */
  async function announce(): Promise<State> {
    const state = await readState()
    const text = JSON.stringify(state)
    if (lastState && text !== lastState) emit('change', state)
    lastState = text
    return state
  }

  function note(thrown: unknown): HeraldError {
    lastError = asHeraldError(thrown)
    if (options.debug) console.debug(lastError)
    if (isTemporary(lastError) || lastError.code === 'worker_failed') {
      // Ten tries within about a minute, then one a minute.
      const seconds = failures > 9 ? 60 : Math.min(8, 2 ** failures)
      failures += 1
      clearTimeout(timer)
      timer = setTimeout(tend, Math.max(seconds * (0.5 + Math.random() / 2), lastError.retryAfterSeconds ?? 0) * 1_000)
    }
    return lastError
  }

  /** The worker and the key: what has to be there before a click. */
  async function prepare(): Promise<void> {
    try {
      registration ??= await untilActive(await register())
    } catch {
      throw new HeraldError('worker_failed', 'The worker could not be registered.')
    }
    const { key: known, keyAskedAt = 0 } = await store.update((kept) => Object.assign(kept, { service }))
    key = known ?? key
    if (!key || Date.now() - keyAskedAt > day) {
      if (key) becomeReady()
      key = (await call<{ publicKey: string }>(service, 'GET', 'web-push-key')).publicKey
      await store.update((kept) => Object.assign(kept, { key, keyAskedAt: Date.now() }))
    }
    becomeReady()
  }

  /** Tells Herald all that it does not know. */
  async function tell(): Promise<void> {
    await inTurn(() => settle({ service, store, registration, externalId, identityToken: options.identityToken }))
    failures = 0
    lastError = undefined
  }

  /** Does what is to be done without a call of the page, and again later where that makes sense. */
  async function tend(): Promise<void> {
    clearTimeout(timer)
    const before = lastError?.code
    try {
      await prepare()
      await tell()
    } catch (thrown) {
      if (note(thrown).code !== before) emit('error', lastError!)
    }
    await announce()
  }

  /** Keeps a change and tells Herald. Kept is what counts: the rest may happen later. */
  async function change(next: Without<Change>, more?: (kept: Kept) => void): Promise<State> {
    if (reason) return readState()
    const id = await store.update((kept) => {
      more?.(kept)
      return addChange(kept, made(next))
    })
    await tell().catch(note)
    const { refused } = await store.read()
    const error = refused?.change === id && note(new HeraldError(refused.error.code, refused.error.message, refused.error))
    const state = await announce()
    if (error) throw error
    return state
  }

  async function subscribe(user: UserChanges = {}): Promise<State> {
    // No await before the browser is asked: Safari asks only while the click lasts.
    const refuse = (code: string, message: string) => {
      throw new HeraldError(code, message)
    }
    if (reason) refuse('unsupported', `No pushes here: ${reason}.`)
    if (isOptedOut) refuse('opted_out', 'The person opted out; optIn ends that.')
    if (Notification.permission === 'denied') throw blocked()
    if (!registration || !key) return refuse('not_ready', 'Await ready first.')
    if (Notification.permission === 'default' && !(navigator.userActivation?.isActive ?? true)) {
      refuse('gesture_required', 'Call subscribe in a click.')
    }
    await subscribeBrowser(registration.pushManager, key)
    const { id, wanted, isFound } = await store.read()
    if (!id || !wanted || isFound) await change({ kind: 'register' }, (kept) => void (kept.wanted = true))
    return Object.keys(user)[0] ? setUser(user) : announce()
  }

  /** What the page says itself is left alone by later registrations. */
  const setUser = (user: UserChanges): Promise<State> =>
    change({ kind: 'user', user }, (kept) => void (kept.said = [...new Set([...(kept.said ?? []), ...Object.keys(user)])]))

  async function login(name: string): Promise<State> {
    if (reason) return readState()
    externalId = name
    const person = await hashOf(name)
    const kept = await store.read()
    const isSame = kept.person === person && !kept.changes.some(({ kind }) => /^log/.test(kind))
    return isSame ? announce() : change({ kind: 'login', externalId: name })
  }

  async function logout(): Promise<State> {
    externalId = undefined
    const { person, changes, isFound } = await store.read()
    const isSomebody = person ?? isFound ?? changes.some(({ kind }) => /login|user/.test(kind))
    return isSomebody ? change({ kind: 'logout' }) : announce()
  }

  async function unsubscribe(): Promise<State> {
    const { id } = await store.read()
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
    const forget = (kept: Kept) => {
      forgetDevice(kept)
      delete kept.wanted
    }
    return change({ kind: 'delete', subscription: id ?? '' }, forget)
  }

  /** Whoever opted out before Herald knew the browser is registered now. */
  async function optIn(): Promise<State> {
    const { id } = await store.read()
    return change(id ? { kind: 'opted', optedIn: true } : { kind: 'register' }, (kept) => {
      delete kept.optedOut
      delete kept.isFound
    })
  }

  async function softAsk(ask: () => boolean | Promise<boolean>, limits?: AskLimits): Promise<State> {
    const { subscribed, optedIn, permission } = await announce()
    const { refusals = [] } = await store.read()
    const mayNot = subscribed || !optedIn || permission === 'denied' || !registration || !key
    if (mayNot || !mayAsk(refusals, Date.now(), limits)) return readState()
    try {
      if (await ask()) return await subscribe()
    } catch (error) {
      if (!/^permission/.test((error as HeraldError).code)) throw error
    }
    await store.update((kept) => void (kept.refusals = [...refusals, Date.now()]))
    return readState()
  }

  function start(): void {
    void tend()
    const again = () => document.visibilityState === 'visible' && navigator.onLine && void tend()
    addEventListener('online', again)
    document.addEventListener('visibilitychange', again)
    navigator.serviceWorker.addEventListener('message', ({ data, ports }: MessageEvent) => {
      if (data?.herald !== scope) return
      const isHeard = emit(data.name, data.event)
      ports[0]?.postMessage(isHeard)
    })
    navigator.serviceWorker.startMessages()
  }

  if (reason) becomeReady!()
  else start()
  return {
    ready: ready.then(readState),
    state: readState,
    subscribe,
    softAsk,
    unsubscribe,
    login,
    logout,
    setTags: (tags) => setUser({ tags }),
    setUser,
    optOut: () => change({ kind: 'opted', optedIn: false }, (kept) => void (kept.optedOut = true)),
    optIn,
    on,
  }
}
