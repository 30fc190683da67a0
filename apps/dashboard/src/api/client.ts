import createFetchClient from 'openapi-fetch'
import createQueryClient from 'openapi-react-query'
import { waitForSession } from '../session/renewal.ts'
import { ApiFault, readFault } from './fault.ts'
import type { paths } from './schema.gen.ts'

/**
 * The time limit of a request. A request in which Herald waits for a provider, a webhook endpoint or a part of a file has a longer limit
 * (`sendWithin`).
 */
const limitMs = 10_000

const reads = ['GET', 'HEAD']
/** Paths that only read, although they are asked with POST. */
const readsByPost = /\/(dry-run|segments\/preview|users\/search)$/
const isRead = ({ method, url }: Request): boolean => reads.includes(method) || readsByPost.test(new URL(url).pathname)

let csrfToken: string | undefined

/**
 * Keeps the CSRF token of the session, in memory only. Herald sends the token with the session; it proves that a change comes from this page and not
 * from another site.
 */
export const keepCsrfToken = (token: string | undefined): void => {
  csrfToken = token
}

/** Sends a request with a time limit, and with the CSRF token when the request changes something. Throws an ApiFault when the request is refused. */
export async function send(request: Request, withinMs = limitMs): Promise<Response> {
  for (;;) {
    const again = request.clone()
    const response = await fetch(prepared(again, withinMs)).catch((error: unknown) => {
      // A read that got no answer has changed nothing, so the page may ask again.
      if (isRead(request) && error instanceof DOMException && error.name === 'TimeoutError')
        throw new ApiFault({ status: 0, code: 'timeout', message: 'Herald did not answer in time. Retrying.' })
      throw error
    })
    if (response.ok) return response
    const fault = await readFault(response)
    // After a 401 the session has ended: a dialog asks the operator to sign in, and then the request is sent again.
    if (fault.status !== 401 || isOfSession(request.url)) throw fault
    if (!(await waitForSession())) throw fault
  }
}

function prepared(request: Request, withinMs: number): Request {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(withinMs)])
  const headers = new Headers(request.headers)
  if (csrfToken !== undefined && !reads.includes(request.method)) headers.set('x-csrf-token', csrfToken)
  return new Request(request, { signal, headers, credentials: 'same-origin' })
}

/** Gives `send` with another time limit, for a request that may take longer: `client.POST(path, { …, fetch: sendWithin(30_000) })`. */
export const sendWithin =
  (withinMs: number) =>
  (request: Request): Promise<Response> =>
    send(request, withinMs)

const isOfSession = (url: string): boolean => new URL(url).pathname === '/v1/admin/session'

/** Calls the administration API; paths and bodies are typed by its OpenAPI document. Throws an ApiFault when a request is refused. */
export const client = createFetchClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) })

/** The administration API as React hooks: `api.useQuery('get', path, …)`, `api.useMutation('post', path)`, `api.queryOptions(…)`. */
export const api = createQueryClient(client)

/** Gives the data of an answer. Data is missing only through a mistake of Herald, because `client` throws when a request is refused. */
export function dataOf<T>(answer: { data?: T | undefined }): T {
  if (answer.data === undefined) throw new ApiFault({ status: 0, code: 'internal', message: 'Unexpected empty answer from Herald.' })
  return answer.data
}
