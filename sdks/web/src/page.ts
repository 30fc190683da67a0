import { call } from './call.ts'
import { addChange, type Change, type UserChanges } from './changes.ts'
import { openEvents, type Events } from './events.ts'
import { openTurns } from './exclusively.ts'
import { asHeraldError, HeraldError, isTemporary } from './herald-error.ts'
import type { Settings } from './options.ts'
import { hashOf, newId, settle, subscribeBrowser } from './settle.ts'
import { mayAsk, type AskLimits } from './soft-ask.ts'
import { openStore, type Kept } from './store.ts'
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
  unsubscribe(): Promise<State>
  login(externalId: string): Promise<State>
  logout(): Promise<State>
  setTags(tags: NonNullable<UserChanges['tags']>): Promise<State>
  setUser(user: UserChanges): Promise<State>
  optOut(): Promise<State>
  optIn(): Promise<State>
  /** Calls the handler from now on; the answer ends it. */
  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): () => void
}

const day = 86_400_000
const shortestMs = 1_000
const longestMs = 8_000

type NewChange = Change extends infer One ? (One extends Change ? Omit<One, 'id' | 'at'> : never) : never

/** Opens Herald on this page: registers the worker, finds out the key, and tells Herald what it does not know. */
export function openPage(settings: Settings): Herald {
  const { service, scope, debug } = settings
  const reason = whyUnsupported()
  const store = openStore(scope)
  const inTurn = openTurns(`herald ${scope}`)
  const { on, emit } = openEvents()
  const channel = reason ? undefined : new BroadcastChannel(`herald ${scope}`)
  let registration: ServiceWorkerRegistration | undefined
  let key = settings.vapidPublicKey
  let externalId: string | undefined
  let lastError: HeraldError | undefined
  let lastState = ''
  let isOptedOut = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let becomeReady: () => void
  const ready = new Promise<void>((resolve) => (becomeReady = resolve))

  const log = (text: string) => debug && console.debug(`Herald: ${text}`)
  const telling = {
    service,
    store,
    registration: () => registration,
    externalId: () => externalId,
    async identityToken(name: string) {
      try {
        return await settings.identityToken?.(name)
      } catch {
        throw new HeraldError('identity_token_failed', 'identityToken did not answer a token.')
      }
    },
  }

  async function readState(): Promise<State> {
    const [kept, subscription] = await Promise.all([store.read(), registration?.pushManager.getSubscription()])
    isOptedOut = kept.optedOut === true
    return {
      supported: !reason,
      reason,
      permission: reason ? 'denied' : Notification.permission,
      subscribed: Boolean(kept.wanted && subscription),
      subscriptionId: kept.id,
      loggedIn: kept.person !== undefined,
      optedIn: !kept.optedOut,
      waiting: kept.changes.length,
      lastError,
    }
  }

  /** Tells the handlers of `change` when it is another state than before. */
  async function announce(): Promise<State> {
    const state = await readState()
    const text = JSON.stringify({ ...state, lastError: lastError?.code })
    if (text !== lastState && lastState !== '') emit('change', state)
    lastState = text
    return state
  }

  function note(thrown: unknown): HeraldError {
    lastError = asHeraldError(thrown)
    log(`${lastError.code}: ${lastError.message}`)
    return lastError
  }

  /** The worker and the key: what has to be there before a click. */
  async function prepare(): Promise<void> {
    registration ??= await register()
    const kept = await store.read()
    const isDue = Date.now() - (kept.keyAskedAt ?? 0) > day
    key = kept.key ?? key
    if (key) becomeReady()
    if (key && !isDue) return
    const { publicKey } = await call<{ publicKey: string }>(service, 'GET', 'web-push-key')
    key = publicKey
    await store.update((kept) => Object.assign(kept, { key, keyAskedAt: Date.now() }))
    becomeReady()
  }

  async function register(): Promise<ServiceWorkerRegistration> {
    try {
      const made = await settings.register()
      await untilActive(made)
      log('the worker is registered')
      return made
    } catch {
      throw new HeraldError('worker_failed', 'The worker could not be registered. Is its file there, and is its type JavaScript?')
    }
  }

  /** Does what is to be done without a call of the page, and again later where that makes sense. */
  async function tend(): Promise<void> {
    clearTimeout(timer)
    try {
      await prepare()
      await inTurn(() => settle(telling))
      failures = 0
      lastError = undefined
    } catch (thrown) {
      const before = lastError?.code
      const error = note(thrown)
      if (error.code !== before) emit('error', error)
      if (isTemporary(error) || error.code === 'worker_failed') tryLater(error)
    }
    await announce()
    channel?.postMessage('changed')
  }

  function tryLater({ retryAfterSeconds = 0 }: HeraldError): void {
    const delay = Math.min(longestMs, shortestMs * 2 ** failures) * (0.5 + Math.random() / 2)
    // Ten tries within about a minute, then one a minute.
    const wait = failures > 10 ? 60_000 : delay
    failures += 1
    clearTimeout(timer)
    timer = setTimeout(tendQuietly, Math.max(wait, retryAfterSeconds * 1_000))
  }

  const tendQuietly = () => void tend().catch(note)

  /** Keeps a change and tells Herald. Kept is what counts: the rest may happen later. */
  async function change(next: NewChange, more?: (kept: Kept) => void): Promise<State> {
    const made = { ...next, id: newId(), at: Date.now() } as Change
    const id = await store.update((kept) => {
      more?.(kept)
      return addChange(kept, made)
    })
    try {
      await inTurn(() => settle(telling))
      lastError = undefined
    } catch (thrown) {
      const error = note(thrown)
      if (isTemporary(error)) tryLater(error)
    }
    const { refused } = await store.read()
    const state = await announce()
    channel?.postMessage('changed')
    if (refused?.change !== id) return state
    const { code, message, ...about } = refused.error
    throw note(new HeraldError(code, message, about as object))
  }

  async function subscribe(user: UserChanges = {}): Promise<State> {
    // No await before the browser is asked: Safari asks only while the click lasts.
    if (reason) throw new HeraldError('unsupported', `This browser has no pushes here: ${reason}.`)
    if (Notification.permission === 'denied') throw denied()
    if (isOptedOut) throw new HeraldError('opted_out', 'The person has opted out. Call optIn when they want pushes again.')
    if (!registration || !key) throw new HeraldError('not_ready', 'Wait for ready before you let anybody click.')
    if (Notification.permission === 'default' && navigator.userActivation?.isActive === false) {
      throw new HeraldError('gesture_required', 'Call subscribe in a click: the browser asks only once.')
    }
    const asked = subscribeBrowser(registration.pushManager, key)
    await asked.catch(async (error: unknown) => subscribeAfter(error, registration!.pushManager, key!))
    const kept = await store.read()
    if (kept.id !== undefined && kept.wanted && !kept.isFound) {
      return Object.keys(user).length > 0 ? setUser(user) : refresh()
    }
    return change({ kind: 'register', user }, (kept) => {
      kept.wanted = true
      said(kept, user)
    })
  }

  async function refresh(): Promise<State> {
    await tend()
    return readState()
  }

  const setUser = (user: UserChanges): Promise<State> => change({ kind: 'user', user }, (kept) => said(kept, user))

  async function login(name: string): Promise<State> {
    const person = await hashOf(name)
    externalId = name
    const { person: before, changes } = await store.read()
    if (before === person && !changes.some(({ kind }) => kind === 'login' || kind === 'logout')) return readState()
    return change({ kind: 'login', externalId: name })
  }

  async function logout(): Promise<State> {
    externalId = undefined
    const { person, changes, isFound } = await store.read()
    if (person === undefined && !isFound && !changes.some(({ kind }) => kind === 'login' || kind === 'user')) return readState()
    return change({ kind: 'logout' })
  }

  /** Whoever opted out before Herald knew the browser is registered now. */
  async function optIn(): Promise<State> {
    const { id, wanted } = await store.read()
    const next: NewChange = id === undefined && wanted ? { kind: 'register', user: {} } : { kind: 'opted', optedIn: true }
    return change(next, (kept) => {
      delete kept.optedOut
      delete kept.isFound
    })
  }

  async function unsubscribe(): Promise<State> {
    const { id } = await store.read()
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
    const forget = (kept: Kept) => {
      for (const field of ['id', 'endpoint', 'person', 'userId', 'wanted', 'registeredAt', 'isFound'] as const) delete kept[field]
      kept.changes = kept.changes.filter(({ kind }) => kind === 'delete')
    }
    if (id !== undefined) return change({ kind: 'delete', subscription: id }, forget)
    await store.update(forget)
    return announce()
  }

  async function softAsk(ask: () => boolean | Promise<boolean>, limits?: AskLimits): Promise<State> {
    const before = await readState()
    const { refusals = [] } = await store.read()
    const mayNot = reason || before.subscribed || !before.optedIn || before.permission === 'denied' || !registration || !key
    if (mayNot || !mayAsk(refusals, Date.now(), limits)) return before
    const refused = async () => {
      await store.update((kept) => void (kept.refusals = [...(kept.refusals ?? []), Date.now()].slice(-20)))
      return readState()
    }
    if (!(await ask())) return refused()
    try {
      return await subscribe()
    } catch (error) {
      if (/^permission/.test((error as HeraldError).code)) await refused()
      throw error
    }
  }

  if (reason) becomeReady!()
  else start()

  function start(): void {
    void store.update((kept) => void (kept.service = service)).then(tendQuietly)
    const again = () => document.visibilityState === 'visible' && navigator.onLine && tendQuietly()
    addEventListener('online', again)
    document.addEventListener('visibilitychange', again)
    channel!.onmessage = () => void announce()
    navigator.serviceWorker.addEventListener('message', ({ data, ports }: MessageEvent) => {
      if (data?.herald !== scope) return
      ports[0]?.postMessage(emit(data.name, data.event))
    })
    navigator.serviceWorker.startMessages()
  }

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

/** What the page said itself is not said again by a registration. */
function said(kept: Kept, user: UserChanges): void {
  kept.said = [...new Set([...(kept.said ?? []), ...Object.keys(user)])].filter((field) => field !== 'tags')
}

const denied = () =>
  new HeraldError(
    'permission_denied',
    'Notifications are blocked for this site. Only the person can allow them, in the settings of the browser.',
  )

/** What the browser's refusal means; another sender's subscription, or one with an older key, makes room for ours. */
async function subscribeAfter(error: unknown, manager: PushManager, key: string): Promise<PushSubscription> {
  const { name } = error as Error
  if (name === 'InvalidStateError') {
    await (await manager.getSubscription())?.unsubscribe()
    return subscribeBrowser(manager, key)
  }
  if (name !== 'NotAllowedError') throw new HeraldError('push_service_failed', "The browser's push service did not answer.")
  if (Notification.permission === 'denied') throw denied()
  throw new HeraldError('permission_dismissed', 'The person did not allow notifications.')
}

/** A subscription needs a worker that is active, not only installed. */
async function untilActive({ active, installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting
  if (active || !worker) return
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve()
      if (worker.state === 'redundant') reject(new Error('The worker failed.'))
    })
  })
}
