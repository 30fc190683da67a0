import { call } from './call.ts'
import { addChange } from './changes.ts'
import { openEvents, type Events, type State } from './events.ts'
import { asHeraldError, failed, isTemporary, type HeraldError } from './herald-error.ts'
import type { Settings } from './options.ts'
import { hashOf, made, ownerChange, registering, settle } from './settle.ts'
import { mayAsk, type AskLimits } from './soft-ask.ts'
import { openStore, type Kept, type Change, type UserChanges } from './store.ts'
import { subscribeBrowser } from './subscribe-browser.ts'
import { whyUnsupported } from './support.ts'
import { untilOurs, type WorkerState } from './take-over.ts'

/**
 * Herald on a page. A method that changes something resolves with the state after it, or rejects with a HeraldError when Herald or the browser
 * refuses. A change that cannot be sent now counts in `waiting` and is sent later.
 */
export type Herald = {
  /**
   * Resolves when the worker and the VAPID key are there. From then on a click may call `subscribe`. In a browser that cannot have pushes it resolves
   * at once.
   */
  ready: Promise<State>
  state(): Promise<State>
  /** Asks the user for permission and registers this browser. Call it while you handle a click. */
  subscribe(user?: UserChanges): Promise<State>
  /**
   * Calls `ask`, which shows your page's dialog, when Herald is ready and the user may be asked, and subscribes when it gives true. After a refusal
   * waits 14 days, after the third for ever; `limits` sets other numbers.
   */
  softAsk(ask: () => boolean | Promise<boolean>, limits?: AskLimits): Promise<State>
  /** Ends the browser's subscription and deletes the device at Herald. */
  unsubscribe(): Promise<State>
  /** Says which user uses this browser. A login before `subscribe` is sent after the registration. */
  login(externalId: string): Promise<State>
  logout(): Promise<State>
  setTags(tags: NonNullable<UserChanges['tags']>): Promise<State>
  setUser(user: UserChanges): Promise<State>
  /** Stops the pushes and keeps the subscription. Only `optIn` starts them again. */
  optOut(): Promise<State>
  optIn(): Promise<State>
  /** Calls the handler for each event from now on. Gives a function that removes the handler. */
  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): () => void
}

const day = 86_400_000

/** Starts Herald on this page: registers the worker, gets the VAPID key, and sends what Herald does not know yet. */
export function openPage({ service, scope, register, options }: Settings): Herald {
  const reason = whyUnsupported()
  const store = openStore(scope)
  const events = openEvents()
  let registration: ServiceWorkerRegistration | undefined
  let finding: Promise<ServiceWorkerRegistration> | undefined
  let worker: WorkerState | undefined
  let key = options.vapidPublicKey
  let externalId: string | undefined
  let lastError: HeraldError | undefined
  let lastState: string | undefined
  let said: string | undefined
  const refused = new Map<string, HeraldError>()
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let becomeReady: () => void
  const ready = new Promise<void>((resolve) => (becomeReady = resolve))

  /** Gives the state. Calls the handlers of `change` when the state is not the same as at the last call. */
  async function announce(): Promise<State> {
    const { wanted, device, out, changes } = await store()
    const subscription = await registration?.pushManager.getSubscription()
    const state: State = {
      supported: !reason,
      reason,
      permission: reason ? 'denied' : Notification.permission,
      subscribed: !!wanted && !!subscription,
      subscriptionId: device.id,
      loggedIn: !!device.person,
      optedIn: !out,
      waiting: changes.length,
      worker,
      lastError,
    }
    const text = JSON.stringify(state)
    if (lastState && text !== lastState) events.emit('change', state)
    lastState = text
    return state
  }

  function note(thrown: unknown): HeraldError {
    lastError = asHeraldError(thrown)
    const { code, status } = lastError
    // A network that is away passes. What is wrong with the installation does not, so it is said once, also without `debug`.
    if (options.debug || (code !== 'network' && status < 429 && said !== (said = code))) console.warn(lastError)
    if (isTemporary(lastError)) {
      // The wait doubles from 1 s to 8 s, for up to ten tries within about a minute, then it is 60 s. Up to half is taken off at random, so that
      // pages do not all try at once.
      const seconds = failures > 9 ? 60 : Math.min(8, 2 ** failures++)
      clearTimeout(timer)
      timer = setTimeout(tend, seconds * (500 + Math.random() * 500))
    }
    return lastError
  }

  /** Registers the worker, and waits until it is the one that gets the pushes. */
  async function findWorker(): Promise<ServiceWorkerRegistration> {
    const found = await untilOurs(await register(), (await store()).worker, (now) => {
      if (worker !== (worker = now)) void announce()
    })
    worker = 'active'
    await store((kept) => void (kept.worker = found.active!.scriptURL))
    return found
  }

  /** Registers the worker and gets the VAPID key. Both must be there before a click calls `subscribe`. */
  async function prepare(): Promise<void> {
    registration = await (finding ??= findWorker().catch(() => {
      finding = undefined
      throw failed('worker_failed')
    }))
    const { key: known, askedAt = 0 } = await store((kept) => {
      // After a change of the app key the stored VAPID key may be that of another app.
      if (kept.service?.appKey !== service.appKey) delete kept.key
      kept.service = service
    })
    key = known ?? key
    if (!known || Date.now() - askedAt > day) {
      if (key) becomeReady()
      key = (await call<{ publicKey: string }>(service, 'GET', 'web-push-key')).publicKey
      await store((kept) => Object.assign(kept, { key, askedAt: Date.now() }))
    }
    becomeReady()
  }

  /** Sends everything that Herald does not know yet. A lock keeps other tabs and the worker from doing the same at the same time. */
  async function tell(): Promise<void> {
    await navigator.locks.request(scope, () =>
      settle({ service, store, registration, externalId, refused, identityToken: options.identityToken }),
    )
    failures = 0
    lastError = undefined
  }

  /** Prepares and sends in the background. After a temporary failure it is called again later. */
  async function tend(): Promise<void> {
    clearTimeout(timer)
    try {
      await prepare()
      await tell()
    } catch (thrown) {
      events.emit('error', note(thrown))
    }
    await announce()
  }

  /** Stores a change and sends it. When it cannot be sent now, it stays stored and is sent later. */
  async function change(next: Omit<Change, 'id' | 'at'>, more?: (kept: Kept) => void): Promise<State> {
    if (reason) return announce()
    const change = made(next)
    await store((kept) => {
      addChange(kept, change)
      more?.(kept)
    })
    await tell().catch(note)
    const error = refused.get(change.id)
    lastError = error ?? lastError
    const state = await announce()
    if (error) throw error
    return state
  }

  async function subscribe(user: UserChanges = {}): Promise<State> {
    // There is no await before subscribeBrowser, because Safari shows its question only while the click is handled.
    if (reason) throw failed('unsupported')
    const { permission } = Notification
    if (permission === 'denied') throw failed('permission_denied')
    if (!registration || !key) throw failed('not_ready', { cause: lastError })
    if (permission === 'default' && !(navigator.userActivation?.isActive ?? true)) throw failed('gesture_required')
    await subscribeBrowser(registration.pushManager, key)
    const { device, wanted, out } = await store()
    if (out) throw failed('opted_out')
    if (!device.id || !wanted || device.found) await change(registering, (kept) => void (kept.wanted = true))
    return Object.keys(user)[0] ? setUser(user) : announce()
  }

  const setUser = (user: UserChanges): Promise<State> => change({ kind: 'user', method: 'PATCH', path: '/user', body: user })

  async function sayOwner(name?: string): Promise<State> {
    externalId = name
    const { device, changes } = await store()
    const last = changes.filter(({ kind }) => /^log/.test(kind)).at(-1)
    // True when Herald need not be told. While a login or logout waits, that is when the last one names the same user. When none waits, it is when
    // Herald has already confirmed this user.
    const isSame = last ? last.body?.externalId === name : name ? device.person === (await hashOf(name)) : !device.person && !device.found
    return isSame ? announce() : change(ownerChange(name))
  }

  async function unsubscribe(): Promise<State> {
    const { id } = (await store()).device
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
    const forget = (kept: Kept) => {
      kept.device = {}
      kept.wanted = false
    }
    return id ? change({ kind: 'delete', method: 'DELETE', device: id }, forget) : (store(forget), announce())
  }

  const opt = (optedIn: boolean): Promise<State> =>
    change({ kind: 'opted', method: 'PATCH', body: { optedIn } }, (kept) => {
      kept.out = !optedIn
      if (!optedIn) return
      delete kept.device.found
      // An opt-out may have dropped the waiting registration, so an opt-in makes it again.
      if (!kept.device.id && kept.wanted) addChange(kept, made(registering))
    })

  async function softAsk(ask: () => boolean | Promise<boolean>, limits?: AskLimits): Promise<State> {
    const state = await announce()
    const { refusedAt = [] } = await store()
    const mayNot = state.subscribed || !state.optedIn || state.permission === 'denied' || !registration || !key
    if (mayNot || !mayAsk(refusedAt, limits)) return state
    try {
      if (await ask()) return await subscribe()
    } catch (error) {
      if (!/^perm/.test((error as HeraldError).code)) throw error
    }
    await store((kept) => void (kept.refusedAt = [...refusedAt, Date.now()]))
    return announce()
  }

  function start(): void {
    void tend()
    const again = () => document.hidden || void tend()
    addEventListener('online', again)
    document.addEventListener('visibilitychange', again)
    navigator.serviceWorker.addEventListener('message', ({ data, ports }: MessageEvent) => {
      if (data?.herald !== scope) return
      let isDone = data.name === 'click'
      const isHeard = events.emit(data.name, { ...data.event, preventDefault: () => (isDone = true) })
      // The handlers have run before this. The worker shows no notification of a push, and opens no window for a click, that is done with.
      queueMicrotask(() => ports[0]?.postMessage(isHeard && isDone))
    })
    navigator.serviceWorker.startMessages()
  }

  if (reason) becomeReady!()
  else start()
  return {
    ready: ready.then(announce),
    state: announce,
    subscribe,
    softAsk,
    unsubscribe,
    login: sayOwner,
    logout: () => sayOwner(),
    setTags: (tags) => setUser({ tags }),
    setUser,
    optOut: () => opt(false),
    optIn: () => opt(true),
    on: events.on,
  }
}
