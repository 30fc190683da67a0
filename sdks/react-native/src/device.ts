/** What a framework's native part does for this module: it calls a function of Herald by its name, and tells what pushes do. */
export type Native = {
  call(name: string, given: Record<string, unknown>): Promise<unknown>
  /** Begins to give events, first those that came before. */
  listen(handle: (name: string, event: unknown) => void): void
}

/** The code of an error: one of the SDK's own, or one that the API answered, such as `forbidden`. */
export type ErrorCode =
  | 'not_started'
  | 'invalid_argument'
  | 'no_address'
  | 'not_stored'
  | 'identity_token_failed'
  | 'network_error'
  | 'asked_to_wait'
  // Any code of the API, also of a later version.
  | (string & {})

/** The error with which a call is rejected. It contains no token, key or external id, so it may be logged. */
export class HeraldError extends Error {
  readonly code: ErrorCode
  /** The HTTP status of the answer; 0 when there was no answer, or the error is the SDK's own. */
  readonly status: number

  constructor(code: ErrorCode, message: string, status = 0) {
    super(message)
    this.name = 'HeraldError'
    this.code = code
    this.status = status
  }
}

export type StartOptions = {
  /** The address of Herald, such as `https://push.example.com`. */
  baseUrl: string
  /** A public key of the app in Herald, `pk_live_…`. */
  appKey: string
  /** Gives the identity token that your backend makes for an external id. It is called before each login, also before one that was stored. */
  identityToken?: (externalId: string) => string | Promise<string>
  /** The app group on iOS that the app shares with its notification service extension. */
  group?: string
}

/** A push that came while the app was open. */
export type Push = { title: string | null; body: string | null; url: string | null; data: Record<string, unknown> }
/** A tap on a notification. `action` is the id of the button; null for the notification itself. The report is made already. */
export type Tap = { url: string | null; action: string | null; data: Record<string, unknown> }
export type Events = { push: Push; tap: Tap }

/** A value of a tag; null deletes the tag. */
export type TagValue = string | number | boolean | null

/** What a conversion was worth, and the push that led to it when you know it. */
export type Conversion = { value?: number; currency?: string; msgId?: string }

/** A kind of notifications. `subscribed`: whether the user gets them. Nobody can leave a `locked` one. */
export type Category = { id: string; name: string; description: string | null; subscribed: boolean; locked: boolean }

/** Herald on a phone. What cannot be sent now is stored and sent later, in order. */
export type Herald = {
  /** Sets the address and key, and must come before every other call. Call it at every start of the app. */
  start(options: StartOptions): Promise<void>
  /** Asks the user for permission to show notifications, and gives whether they may be shown. On Android it does not wait for the answer. */
  requestPermission(): Promise<boolean>
  /** Registers this phone, at every start of the app after `start`. Gives the id of the device; null while the user has opted out. */
  register(): Promise<string | null>
  subscriptionId(): Promise<string | null>
  /** Reports that the app has come to the foreground. After the first `register` the package does it by itself. */
  foreground(): Promise<void>
  login(externalId: string): Promise<void>
  logout(): Promise<void>
  setTags(tags: Record<string, TagValue>): Promise<void>
  setUser(fields: { language?: string; timezone?: string; country?: string }): Promise<void>
  /** Reports a conversion of the user, such as an order. `id` is yours and counts once. A `value` needs the app's setting for public values. */
  trackConversion(id: string, name: string, more?: Conversion): Promise<void>
  /** Gives the kinds of notifications of your app, and which of them the user gets. */
  categories(): Promise<Category[]>
  /** Lets the user join (true) or leave (false) categories, on all devices of the user; null takes the user's own choice back. */
  setCategories(choices: Record<string, boolean | null>): Promise<void>
  /** Takes the user of this push out of its category. */
  leaveCategory(msgId: string): Promise<void>
  /** Tells Herald the number on the app's icon, from which sends with `badgeIncrement` go on. Rejects when Herald cannot be reached: it is not stored. */
  setBadge(badge: number): Promise<void>
  optOut(): Promise<void>
  optIn(): Promise<void>
  /** Removes the device from Herald. */
  unregister(): Promise<void>
  /** Reports for a notification that your own code has shown: that it was shown, tapped, or closed by the user. */
  delivered(msgId: string): Promise<void>
  opened(msgId: string): Promise<void>
  clicked(msgId: string, action?: string): Promise<void>
  dismissed(msgId: string): Promise<void>
  /** Calls the handler at each event, also at one that came before, such as the tap that has started the app. Gives a function that ends it. */
  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): () => void
}

type Waiting = { name: string; event: unknown }
/** At most this many events wait for a handler. */
const mostWaiting = 20

/** Makes Herald over the native part of a framework. */
export function heraldOver(native: Native): Herald {
  type Handler = (event: never) => void
  const handlers = new Map<string, Set<Handler>>()
  let waiting: Waiting[] = []
  let identityToken: StartOptions['identityToken']
  let isListening = false

  const call = async <Answer = void>(name: string, given: Record<string, unknown> = {}): Promise<Answer> => {
    try {
      return (await native.call(name, given)) as Answer
    } catch (error) {
      const {
        code = 'unknown',
        message = '',
        ...rest
      } = error as { code?: string; message?: string; userInfo?: { status?: number } | null }
      const data = 'data' in rest ? (rest.data as { status?: number } | undefined) : rest.userInfo
      throw new HeraldError(code, message, data?.status ?? 0)
    }
  }

  const handle = ({ name, event }: Waiting): boolean => {
    const known = handlers.get(name)
    for (const handler of known ?? []) handler(event as never)
    return known !== undefined && known.size > 0
  }

  /** Answers the native part's question for an identity token. When the function fails there is no answer, and the login waits. */
  const answerToken = async ({ id, externalId }: { id: string; externalId: string }): Promise<void> => {
    const token = await identityToken?.(externalId)
    await call('identityToken', { id, token: token ?? '' })
  }

  const listen = () => {
    if (isListening) return
    isListening = true
    native.listen((name, event) => {
      if (name === 'identityToken') answerToken(event as { id: string; externalId: string }).catch(() => undefined)
      else if (!handle({ name, event })) waiting = [...waiting, { name, event }].slice(-mostWaiting)
    })
  }

  return {
    async start({ identityToken: ask, ...options }) {
      identityToken = ask
      await call('start', { ...options, verifiesIdentity: ask !== undefined })
      listen()
    },
    requestPermission: () => call<boolean>('requestPermission'),
    register: () => call<string | null>('register'),
    subscriptionId: () => call<string | null>('subscriptionId'),
    foreground: () => call('foreground'),
    login: (externalId) => call('login', { externalId }),
    logout: () => call('logout'),
    setTags: (tags) => call('setTags', { tags }),
    setUser: (fields) => call('setUser', fields),
    trackConversion: (id, name, more = {}) => call('trackConversion', { id, name, ...more }),
    categories: () => call<Category[]>('categories'),
    setCategories: (choices) => call('setCategories', { choices }),
    leaveCategory: (msgId) => call<unknown>('leaveCategory', { msgId }).then(() => undefined),
    setBadge: (badge) => call('setBadge', { badge }),
    optOut: () => call('optOut'),
    optIn: () => call('optIn'),
    unregister: () => call('unregister'),
    // Whether a report has arrived is not the caller's concern: it is stored until it does.
    delivered: (msgId) => call<unknown>('delivered', { msgId }).then(() => undefined),
    opened: (msgId) => call<unknown>('opened', { msgId }).then(() => undefined),
    clicked: (msgId, action) => call<unknown>('clicked', { msgId, ...(action === undefined ? {} : { action }) }).then(() => undefined),
    dismissed: (msgId) => call<unknown>('dismissed', { msgId }).then(() => undefined),
    on(name, handler) {
      const known = handlers.get(name) ?? new Set()
      handlers.set(name, known.add(handler))
      waiting = waiting.filter((one) => one.name !== name || !handle(one))
      return () => void known.delete(handler)
    },
  }
}
