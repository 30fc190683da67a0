import { errorOfAnswer, HeraldError } from './errors.ts'
import { readBaseUrl, readKey, readLimits, type CallOptions, type HeraldOptions, type RequestNotice } from './options.ts'
import { onConnectionOfItsOwn } from './once.ts'
import { delayAfter, isTemporary, mayHaveHappened, pause } from './retries.ts'
import { version } from './version.ts'

/** A request, without its method and path. */
export type Call = CallOptions & {
  /** Sent as JSON; bytes and texts as they are, with the `content-type` of `headers`. */
  body?: unknown
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  headers?: Readonly<Record<string, string>>
  /** A key that makes a POST repeatable: Herald does it once. */
  idempotencyKey?: string | undefined
  /** Whether a repetition changes nothing. By default every request may be repeated but a POST without a key. */
  repeatable?: boolean
  /** Gives the answer when an earlier try may have succeeded and a later one was refused for that reason. */
  recover?: (error: HeraldError) => Promise<{ answer: unknown } | undefined>
}

/** What the resources call Herald with. */
export type Client = {
  /** The answer's JSON; undefined where there is none. Rejects with a HeraldError. */
  request<Answer>(method: string, path: string, call?: Call): Promise<Answer>
  /** The raw Response, for streams: the time limits hold until its head has come. Rejects with a HeraldError unless the status is 2xx. */
  open(method: string, path: string, call?: Call): Promise<Response>
}

type Tried<Answer> = { answer: Answer } | { error: HeraldError }
/** The caller's signal also ends the body of a stream. */
type OwnCall = Call & { isStream?: boolean }
type Read<Answer> = (response: Response) => Promise<Answer>

/** Makes requests with the key, within the time limits, and tries them again where that is safe. Throws a TypeError for options that cannot be right. */
export function openClient(options: HeraldOptions): Client {
  const baseUrl = readBaseUrl(options.baseUrl)
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
    // A redirect is an answer: following it would hand the key and the body to another address.
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

/** Calls a hook. A log that fails must not fail a send. */
function tell<Notice>(hook: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    hook?.(notice)
  } catch {
    // The hook is the caller's own code and the only place where errors are told, so its own error cannot be told anywhere.
  }
}
