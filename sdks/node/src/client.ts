import { errorOfAnswer, HeraldError } from './errors.ts'
import { readBaseUrl, readKey, readLimits, type CallOptions, type HeraldOptions, type RequestNotice } from './options.ts'
import { onConnectionOfItsOwn } from './once.ts'
import { delayAfter, isTemporary, mayHaveHappened, pause } from './retries.ts'
import { version } from './version.ts'

/** The parts of a request that are not its method or its path. */
export type Call = CallOptions & {
  /** The body. It is sent as JSON, except that bytes and texts are sent unchanged, with the `content-type` that `headers` gives. */
  body?: unknown
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  headers?: Readonly<Record<string, string>>
  /** An idempotency key. When several POST requests have the same key within 24 hours, Herald carries out only one of them. */
  idempotencyKey?: string | undefined
  /** Whether the SDK may send the request again after a failure. By default it may, unless the request is a POST without an idempotency key. */
  repeatable?: boolean
  /**
   * Called when a try fails after the answer to an earlier try was lost, because the earlier try may have succeeded. When it has, gives the answer of
   * the call; else undefined.
   */
  recover?: (error: HeraldError) => Promise<{ answer: unknown } | undefined>
}

/** Sends requests for `notifications`, `campaigns` and the other resources of the SDK. */
export type Client = {
  /**
   * Sends a request and gives the JSON of the answer; undefined when the answer has no body. Rejects with a HeraldError, or with the signal's reason.
   */
  request<Answer>(method: string, path: string, call?: Call): Promise<Answer>
  /** Sends a request and gives the Response, for streams. Once the headers have come no time limit holds. Rejects unless the status is a 2xx. */
  open(method: string, path: string, call?: Call): Promise<Response>
}

type Tried<Answer> = { answer: Answer } | { error: HeraldError }
/** With `isStream` the caller's signal still works after the headers of the answer have come, so that it can end the body. */
type OwnCall = Call & { isStream?: boolean }
type Read<Answer> = (response: Response) => Promise<Answer>

/**
 * Gives a client that sends requests with the key, within the time limits, and repeats a failed request where that is safe. Throws a TypeError for
 * options that cannot be right.
 */
export function openClient(options: HeraldOptions): Client {
  const baseUrl = readBaseUrl(options.baseUrl, options.allowHttp)
  const authorization = `Bearer ${readKey(options.key)}`
  const usual = readLimits(options)
  const { fetch: send = (input, init) => fetch(input, init), onRequest, onResponse } = options

  async function attempt<Answer>(
    url: string,
    init: RequestInit,
    notice: RequestNotice,
    limitMs: number,
    call: OwnCall,
    read: Read<Answer>,
  ) {
    const gaveUp = new AbortController()
    const timer = setTimeout(() => gaveUp.abort(), limitMs)
    const pass = () => gaveUp.abort()
    call.signal?.addEventListener('abort', pass, { once: true })
    const startedAt = Date.now()
    tell(onRequest, notice)
    let status = 0
    let tried: Tried<Answer>
    try {
      const response = await send(url, { ...init, signal: gaveUp.signal })
      status = response.status
      tried = response.ok
        ? { answer: await read(response) }
        : { error: errorOfAnswer(status, response.headers, await response.text(), notice.requestId) }
    } catch (cause) {
      if (call.signal?.aborted) throw call.signal.reason
      tried = { error: cause instanceof HeraldError ? cause : noAnswer(cause, gaveUp.signal.aborted, limitMs, notice.requestId) }
    } finally {
      clearTimeout(timer)
      if (!call.isStream) call.signal?.removeEventListener('abort', pass)
    }
    const failed = 'error' in tried ? { errorCode: tried.error.code } : {}
    tell(onResponse, { ...notice, status, durationMs: Date.now() - startedAt, ...failed })
    return tried
  }

  async function run<Answer>(method: string, path: string, call: OwnCall, read: Read<Answer>): Promise<Answer> {
    const { retries, timeoutMs, totalTimeoutMs } = readLimits(call, usual)
    const { signal, repeatable = method !== 'POST' || call.idempotencyKey !== undefined } = call
    const requestId = crypto.randomUUID()
    const { url, init } = requestOf(method, path, call, { authorization, 'x-request-id': requestId })
    const endsAt = Date.now() + totalTimeoutMs
    let isInDoubt = false
    for (let n = 1; ; n += 1) {
      if (signal?.aborted) throw signal.reason
      const limitMs = Math.max(1, Math.min(timeoutMs, endsAt - Date.now()))
      const tried = await attempt(url, init, { requestId, method, path, attempt: n }, limitMs, call, read)
      if ('answer' in tried) return tried.answer
      const { error } = tried
      const recovered = isInDoubt ? await call.recover?.(error) : undefined
      if (recovered) return recovered.answer as Answer
      isInDoubt ||= mayHaveHappened(error)
      const delay = delayAfter(n, error.retryAfterSeconds)
      if (!repeatable || n > retries || !isTemporary(error) || delay === undefined || Date.now() + delay >= endsAt) throw error
      await pause(delay, signal)
    }
  }

  const requestOf = (method: string, path: string, call: Call, own: Record<string, string>) => {
    const { body, query = {}, headers = {}, idempotencyKey } = call
    const asked = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value))
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const all: Record<string, string> = { accept: 'application/json', 'user-agent': `herald-node/${version}`, ...headers, ...own }
    if (body !== undefined && !isRaw) all['content-type'] = 'application/json'
    if (idempotencyKey !== undefined) all['idempotency-key'] = idempotencyKey
    const content = body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }
    // A redirect is not followed: that would give the key and the body to another address.
    const isHarmless = method === 'GET' || idempotencyKey !== undefined
    const init: RequestInit = { method, headers: all, redirect: 'manual', ...content, ...(isHarmless ? {} : onConnectionOfItsOwn()) }
    return {
      url: `${baseUrl}${path}${asked.size > 0 ? '?' : ''}${asked.toString()}`,
      init,
    }
  }

  return {
    request: <Answer>(method: string, path: string, call: Call = {}) => run(method, path, call, readJson<Answer>),
    open: (method, path, call = {}) => run(method, path, { ...call, isStream: true }, (response) => Promise.resolve(response)),
  }
}

async function readJson<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  if (text === '') return undefined as Answer
  try {
    return JSON.parse(text) as Answer
  } catch {
    const message = 'The answer is not JSON. Is baseUrl the address of Herald itself, and not of a page before it?'
    throw new HeraldError({ code: 'invalid_answer', status: response.status, message })
  }
}

function noAnswer(cause: unknown, isTimeout: boolean, limitMs: number, requestId: string): HeraldError {
  if (isTimeout) return new HeraldError({ code: 'timeout', status: 0, message: `No answer within ${limitMs} ms.`, requestId })
  const message = 'Herald could not be reached, or the connection broke before its answer was complete.'
  return new HeraldError({ code: 'network_error', status: 0, message, requestId, cause })
}

/** Calls a hook of the caller's. Its error is ignored, so that a failing log does not fail a send. */
function tell<Notice>(hook: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    hook?.(notice)
  } catch {
    // The SDK writes no log of its own, so there is nowhere to report this error.
  }
}
