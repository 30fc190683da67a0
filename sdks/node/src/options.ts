/** A call as your logs and metrics get it: ids and times, and no key, header or body. */
export type RequestNotice = {
  /** Sent as `x-request-id`: the same for all tries of a call, and found in Herald's log. */
  requestId: string
  method: string
  /** Without the query. It holds the ids that the call names, external ids too. */
  path: string
  /** 1 for the first try. */
  attempt: number
}
/** How a try ended. `status` is 0, with an `errorCode`, when no answer came. */
export type ResponseNotice = RequestNotice & { status: number; durationMs: number; errorCode?: string }

export type HeraldOptions = {
  /** Where Herald is, such as `https://push.example.com`. Plain http is accepted for this machine only. */
  baseUrl: string
  /** A secret key, `sk_live_…`. */
  key: string
  /** How often a call is tried again after a failure that may pass; 2 by default, at most 10. */
  retries?: number
  /** The time limit of one try; 10 s by default. */
  timeoutMs?: number
  /** The time limit of a call with all its tries and pauses; 30 s by default. */
  totalTimeoutMs?: number
  /** Called before each try. An error that it throws is ignored. */
  onRequest?: (notice: RequestNotice) => void
  /** Called after each try. An error that it throws is ignored. */
  onResponse?: (notice: ResponseNotice) => void
  /** Used instead of the global `fetch`, for proxies and tests. */
  fetch?: typeof fetch
}

/** The options of every call. */
export type CallOptions = {
  /** Ends the call: it rejects with the signal's reason. */
  signal?: AbortSignal
  retries?: number
  timeoutMs?: number
  totalTimeoutMs?: number
}

export type Limits = { retries: number; timeoutMs: number; totalTimeoutMs: number }

/** Where requests go, without a slash at the end. Throws a TypeError that says what is wrong and what to give instead. */
export function readBaseUrl(baseUrl: unknown): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new TypeError('Herald: baseUrl must be the address of your Herald, such as https://push.example.com')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('Herald: baseUrl must be an address alone, without a user, a ? or a #')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new TypeError(`Herald: baseUrl must begin with https:// (over http the key could be read on its way to ${url.hostname})`)
  return url.href.replace(/\/+$/, '')
}

const isLoopback = (host: string): boolean => /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host)

/** Throws a TypeError for a text that cannot be a secret key. The message never shows the text. */
export function readKey(key: unknown): string {
  if (typeof key !== 'string' || key === '')
    throw new TypeError('Herald: key must be a secret key (sk_live_…). Is the environment variable that holds it set?')
  if (key.startsWith('pk_'))
    throw new TypeError('Herald: key is a public key (pk_…), which is for apps and pages. A backend needs a secret key (sk_live_…)')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('Herald: key has a space, a line end or another character that no key has')
  return key
}

/** The limits of a call: its own, else the client's, else the defaults. */
export function readLimits(given: CallOptions, usual: Limits = { retries: 2, timeoutMs: 10_000, totalTimeoutMs: 30_000 }): Limits {
  const { retries = usual.retries, timeoutMs = usual.timeoutMs, totalTimeoutMs = usual.totalTimeoutMs } = given
  if (!Number.isInteger(retries) || retries < 0 || retries > 10) throw new TypeError('Herald: retries must be a whole number from 0 to 10')
  for (const [name, value] of Object.entries({ timeoutMs, totalTimeoutMs }))
    if (!(value > 0 && value <= 2_147_483_647)) throw new TypeError(`Herald: ${name} must be a number of milliseconds above 0`)
  return { retries, timeoutMs, totalTimeoutMs }
}
