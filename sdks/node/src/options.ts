/** What your hook `onRequest` gets about a try of a call. It contains no key, header or body. */
export type RequestNotice = {
  /** The id that is sent as `x-request-id` and that Herald's log shows. All tries of a call have the same id. */
  requestId: string
  method: string
  /** The path without the query. It contains ids of the call, also external ids. */
  path: string
  /** 1 for the first try. */
  attempt: number
}
/**
 * What your hook `onResponse` gets about a try that has ended. `status` is 0 when no answer came. `errorCode` says why the try failed; it is missing
 * when the try succeeded.
 */
export type ResponseNotice = RequestNotice & { status: number; durationMs: number; errorCode?: string }

export type HeraldOptions = {
  /** The address of Herald, such as `https://push.example.com`. Plain http is accepted for this machine, and elsewhere with `allowHttp`. */
  baseUrl: string
  /** Accepts plain http, for a Herald inside your own network. The environment variable HERALD_ALLOW_HTTP=1 does the same. */
  allowHttp?: boolean
  /** A secret key, `sk_live_…`. */
  key: string
  /** How often a request is sent again after a temporary failure; 2 by default, at most 10. */
  retries?: number
  /** The time limit of one try, in milliseconds; 10,000 by default. */
  timeoutMs?: number
  /** The time limit of a call with all its tries and the pauses between them, in milliseconds; 30,000 by default. */
  totalTimeoutMs?: number
  /** Called before each try. An error that it throws is ignored. */
  onRequest?: (notice: RequestNotice) => void
  /** Called after each try, except one that the caller's signal aborted. An error that it throws is ignored. */
  onResponse?: (notice: ResponseNotice) => void
  /** A function to use instead of the global `fetch`, for proxies and tests. */
  fetch?: typeof fetch
}

/** The options that every method takes. They replace those of the client. */
export type CallOptions = {
  /** When this signal is aborted, the call ends and rejects with the signal's reason. */
  signal?: AbortSignal
  retries?: number
  timeoutMs?: number
  totalTimeoutMs?: number
}

export type Limits = { retries: number; timeoutMs: number; totalTimeoutMs: number }

/** Checks the address of Herald and gives it without a slash at the end. Throws a TypeError that says what is wrong and what to give instead. */
export function readBaseUrl(baseUrl: unknown, allowHttp = isHttpAllowed()): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new TypeError('Herald: baseUrl must be the address of your Herald, such as https://push.example.com')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('Herald: baseUrl must be an address alone, without a user, a ? or a #')
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname))
    throw new TypeError(
      `Herald: baseUrl must begin with https:// (over http the key could be read on its way to ${url.hostname}). Inside your own network: allowHttp: true, or HERALD_ALLOW_HTTP=1`,
    )
  return url.href.replace(/\/+$/, '')
}

const isHttpAllowed = (): boolean => globalThis.process?.env?.['HERALD_ALLOW_HTTP'] === '1'
const isLoopback = (host: string): boolean => /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host)

/** Checks that a text can be a secret key. Throws a TypeError otherwise, whose message does not show the text. */
export function readKey(key: unknown): string {
  if (typeof key !== 'string' || key === '')
    throw new TypeError('Herald: key must be a secret key (sk_live_…). Is the environment variable that holds it set?')
  if (key.startsWith('pk_'))
    throw new TypeError('Herald: key is a public key (pk_…), which is for apps and pages. A backend needs a secret key (sk_live_…)')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('Herald: key has a space, a line end or another character that no key has')
  return key
}

/** Gives the limits of a call: its own, else those of the client, else the defaults. */
export function readLimits(given: CallOptions, usual: Limits = { retries: 2, timeoutMs: 10_000, totalTimeoutMs: 30_000 }): Limits {
  const { retries = usual.retries, timeoutMs = usual.timeoutMs, totalTimeoutMs = usual.totalTimeoutMs } = given
  if (!Number.isInteger(retries) || retries < 0 || retries > 10) throw new TypeError('Herald: retries must be a whole number from 0 to 10')
  for (const [name, value] of Object.entries({ timeoutMs, totalTimeoutMs }))
    if (!(value > 0 && value <= 2_147_483_647)) throw new TypeError(`Herald: ${name} must be a number of milliseconds above 0`)
  return { retries, timeoutMs, totalTimeoutMs }
}
