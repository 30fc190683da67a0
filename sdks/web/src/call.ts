import { HeraldError, isTemporary, type ErrorDetail } from './herald-error.ts'

/** Where Herald is, and the public key of the app there. */
export type Service = { baseUrl: string; appKey: string }

type Body = { error?: { code: string; message: string; details?: ErrorDetail[] } }

/** Whoever is asked to wait longer waits for whatever asks next. */
const longestWaitMs = 4_000

/** No cookie, no address of the page; and the request goes on when the page is left. */
const privately = { credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', keepalive: true } as const

/** One request to Herald, with a time limit, as page and worker make it. */
export const ask = (
  { baseUrl, appKey }: Service,
  method: string,
  path: string,
  { body, token, limitMs = 8_000 }: { body?: object | undefined; token?: string | undefined; limitMs?: number } = {},
): Promise<Response> =>
  fetch(`${baseUrl}/v1/${path}`, {
    ...privately,
    method,
    headers: {
      'x-app-key': appKey,
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { 'x-identity-token': token }),
    },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(limitMs),
  })

/** A request that is tried three times when it is worth it. Answers the body; whatever else happens is a HeraldError. */
export async function call<T>(service: Service, method: string, path: string, body?: object, token?: string, triesLeft = 2): Promise<T> {
  let error: HeraldError
  try {
    const response = await ask(service, method, path, { body, token })
    const answer = (await response.json().catch(() => ({}))) as Body
    if (response.ok) return answer as T
    const { code = 'internal', message = 'No answer of Herald.', details = [] } = answer.error ?? {}
    const { headers, status } = response
    const requestId = headers.get('x-request-id') ?? undefined
    error = new HeraldError(code, message, {
      status,
      details,
      requestId,
      retryAfterSeconds: Number(headers.get('retry-after')) || undefined,
    })
  } catch {
    error = new HeraldError('network', 'Herald could not be reached.')
  }
  const wait = Math.max((error.retryAfterSeconds ?? 0) * 1_000, (Math.random() * 2_000) / triesLeft)
  if (triesLeft === 0 || !isTemporary(error) || wait > longestWaitMs) throw error
  await new Promise((resolve) => setTimeout(resolve, wait))
  return call(service, method, path, body, token, triesLeft - 1)
}
