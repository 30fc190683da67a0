import { HeraldError, isTemporary, type ErrorDetail } from './herald-error.ts'

/** Where Herald is, and the public key of the app there. */
export type Service = { baseUrl: string; appKey: string }

type Request = { body?: unknown; token?: string | undefined }
type Refusal = { error?: { code?: string; message?: string; details?: ErrorDetail[] } }

const limitMs = 8_000
const tries = 3
/** Whoever asks for a longer wait is asked again later, by whatever comes next. */
const longestWaitMs = 4_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** One request to Herald, tried three times when it is worth it. Answers the body; whatever else happens is a HeraldError. */
export async function call<T>(service: Service, method: string, path: string, request: Request = {}): Promise<T> {
  for (let n = 1; ; n += 1) {
    try {
      return await ask<T>(service, method, path, request)
    } catch (error) {
      const wait = Math.max((error as HeraldError).retryAfterSeconds! * 1_000 || 0, Math.random() * 500 * 2 ** n)
      if (n === tries || !isTemporary(error as HeraldError) || wait > longestWaitMs) throw error
      await pause(wait)
    }
  }
}

async function ask<T>({ baseUrl, appKey }: Service, method: string, path: string, { body, token }: Request): Promise<T> {
  const headers: Record<string, string> = { 'x-app-key': appKey }
  if (body) headers['content-type'] = 'application/json'
  if (token) headers['x-identity-token'] = token
  let response: Response
  let text: string
  try {
    response = await fetch(`${baseUrl}/v1/${path}`, {
      ...privately,
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(limitMs),
    })
    text = await response.text()
  } catch {
    throw new HeraldError('network', 'Herald could not be reached.')
  }
  const answer = parse(text)
  if (response.ok) return answer as T
  const { code, message, details } = (answer as Refusal | undefined)?.error ?? {}
  const header = (name: string) => response.headers.get(name) ?? undefined
  const more = {
    status: response.status,
    ...(details && { details }),
    ...(header('x-request-id') && { requestId: header('x-request-id')! }),
    ...(header('retry-after') && { retryAfterSeconds: Number(header('retry-after')) }),
  }
  throw new HeraldError(code ?? 'internal', message ?? `Herald answered ${response.status}.`, more)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** No cookie, no address of the page; and the request goes on when the page is left. */
export const privately = { credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', keepalive: true } as const
