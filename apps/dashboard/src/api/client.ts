import createFetchClient from 'openapi-fetch'
import createQueryClient from 'openapi-react-query'
import { csrfToken } from '../session/csrf.ts'
import { waitForSession } from '../session/renewal.ts'
import { ApiFault, readFault } from './fault.ts'
import type { paths } from './schema.gen.ts'

/** The time limit of a request. Requests that wait for a provider or an endpoint have a longer one of their own. */
const limitMs = 10_000

const reads = ['GET', 'HEAD']

/** Sends a request within its time limit, with the CSRF token when it changes something. A refusal is thrown as an ApiFault. */
export async function send(request: Request, withinMs = limitMs): Promise<Response> {
  for (;;) {
    const again = request.clone()
    const response = await fetch(prepared(again, withinMs))
    if (response.ok) return response
    const fault = await readFault(response)
    // The session has ended: a dialog asks the operator to sign in again, then the request is repeated.
    if (fault.status !== 401 || isOfSession(request.url)) throw fault
    if (!(await waitForSession())) throw fault
  }
}

function prepared(request: Request, withinMs: number): Request {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(withinMs)])
  const token = reads.includes(request.method) ? undefined : csrfToken()
  const headers = new Headers(request.headers)
  if (token !== undefined) headers.set('x-csrf-token', token)
  return new Request(request, { signal, headers, credentials: 'same-origin' })
}

/** For a request that waits for a provider: `client.POST(path, { …, fetch: sendWithin(30_000) })`. */
export const sendWithin =
  (withinMs: number) =>
  (request: Request): Promise<Response> =>
    send(request, withinMs)

const isOfSession = (url: string): boolean => new URL(url).pathname === '/v1/admin/session'

/** The administration API, typed by its document. A refused request throws an ApiFault. */
export const client = createFetchClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) })

/** The same for React: `api.useQuery('get', path, …)`, `api.useMutation('post', path)`, `api.queryOptions(…)`. */
export const api = createQueryClient(client)

/** Gives the data of an answer. It is there, because a refused request has thrown. */
export function dataOf<T>(answer: { data?: T | undefined }): T {
  if (answer.data === undefined)
    throw new ApiFault({ status: 0, code: 'internal', message: 'Herald answered nothing where something was expected.' })
  return answer.data
}
