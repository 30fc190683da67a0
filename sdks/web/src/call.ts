import { HeraldError, isTemporary, type ErrorDetail } from './herald-error.ts'

/** The address of Herald, and the app's public key. */
export type Service = { baseUrl: string; appKey: string }

/** The longest wait before a request is sent again, in milliseconds. When Herald asks for a longer one, `call` throws at once. */
const longestWaitMs = 4_000

/** Sends one request to Herald, with a time limit. It carries no cookie and no referrer, and goes on when the user leaves the page. */
export const ask = (
  { baseUrl, appKey }: Service,
  method: string,
  path: string,
  body?: object,
  token?: string,
  limitMs = 8_000,
): Promise<Response> =>
  fetch(`${baseUrl}/v1/${path}`, {
    method,
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    keepalive: true,
    headers: {
      'x-app-key': appKey,
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { 'x-identity-token': token }),
    },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(limitMs),
  })

/** Reads a `retry-after` header as milliseconds from now: whole seconds or an HTTP date (RFC 9110, 10.2.3). Gives 0 for any other text. */
export const askedFor = (header: string, date = new Date(header)): number =>
  /\D/.test(header) ? (date.toUTCString() === header && +date - Date.now()) || 0 : +header * 1_000

const none = () => undefined

/** Until when Herald has asked this page to send nothing, and the error that came with it. */
let restsUntil = 0
let error: HeraldError

/**
 * Sends a request, and sends it up to twice again after a temporary failure. Gives the body of the answer, or throws a HeraldError. While a
 * `Retry-After` lasts it sends nothing and throws the error that brought it.
 */
export async function call<T = unknown>(
  service: Service,
  method: string,
  path: string,
  body?: object,
  token?: string,
  triesLeft = 2,
): Promise<T> {
  if (restsUntil > Date.now()) throw error
  const response = await ask(service, method, path, body, token).catch(none)
  const answer = (await response?.json().catch(none)) as { error?: { code: string; message: string; details?: ErrorDetail[] } } | undefined
  // An answer that is neither JSON nor a 204 does not come from Herald. It gets the code of no answer, `network`.
  if (response?.ok && (answer || response.status === 204)) return (answer ?? {}) as T
  const { code = 'network', message = code } = answer?.error ?? {}
  error = new HeraldError(code, message, {
    ...answer?.error,
    status: response?.status ?? 0,
    requestId: response?.headers.get('x-request-id'),
  })
  const asked = askedFor(`${response?.headers.get('retry-after')}`)
  const wait = Math.max(Math.random() * 2_000, asked)
  restsUntil = asked + Date.now()
  if (!triesLeft || !isTemporary(error) || wait > longestWaitMs) throw error
  await new Promise((resolve) => setTimeout(resolve, wait))
  return call(service, method, path, body, token, triesLeft - 1)
}
