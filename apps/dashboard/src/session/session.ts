import { queryOptions, useQuery } from '@tanstack/react-query'
import { keepCsrfToken, send } from '../api/client.ts'
import { ApiFault } from '../api/fault.ts'
import { queryClient } from '../api/queryClient.ts'
import type { components } from '../api/schema.gen.ts'
import { asksForName, heldCode, useUpCode } from './sign-in-code.ts'

/** The session of the signed-in operator: the name, when it ends, and the CSRF token for changes. */
export type Session = components['schemas']['ReadSessionAnswer']

const path = '/v1/admin/session'

async function ask(method: string, body?: unknown): Promise<Response> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return send(new Request(new URL(path, location.origin), init))
}

async function keep(response: Response): Promise<Session> {
  const session = (await response.json()) as Session
  keepCsrfToken(session.csrfToken)
  rememberSession(true)
  return session
}

/**
 * The key in local storage that says that this browser may have a session. Without it the page does not ask for the session, because a browser writes
 * every 401 to its console.
 */
const hasSession = 'herald-has-session'

function rememberSession(isThere: boolean): void {
  try {
    if (isThere) localStorage.setItem(hasSession, 'yes')
    else localStorage.removeItem(hasSession)
  } catch {
    // Storage is blocked or full, so nothing is stored.
  }
}

function mayHaveSession(): boolean {
  try {
    return localStorage.getItem(hasSession) !== null
  } catch {
    // Storage is blocked, so only the gateway knows whether there is a session.
    return true
  }
}

/**
 * Gives the session of this browser, or null while nobody is signed in. When a sign-in link opened the page, its code is exchanged for a session
 * first, or by `signInByLink` when it names nobody.
 */
async function readSession(): Promise<Session | null> {
  if (asksForName()) return null
  const code = useUpCode()
  if (code === undefined && !mayHaveSession()) return null
  try {
    if (code !== undefined) {
      const session = await keep(await ask('POST', { code }))
      tellTabs('signed-in')
      return session
    }
    return await keep(await ask('GET'))
  } catch (error) {
    if (error instanceof ApiFault && (error.status === 401 || (code !== undefined && isRefusal(error)))) {
      refusedCode = code !== undefined
      if (!refusedCode) rememberSession(false)
      return null
    }
    throw error
  }
}

let refusedCode = false

/** Says whether the gateway refused the sign-in link that opened the page. */
export const wasCodeRefused = (): boolean => refusedCode

/** The cache entry of the session. */
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: readSession, staleTime: Infinity, gcTime: Infinity })

/** Begins a session with the administration token or an administration key. The page keeps no copy of it. */
export async function signIn(secret: string, name: string): Promise<void> {
  const proof = secret.startsWith('ak_live_') ? { key: secret } : { token: secret }
  begun(await keep(await ask('POST', { ...proof, ...(name === '' ? {} : { name }) })))
}

/** Begins a session with the sign-in link that opened the page, under this name. Without a name the operator is `administrator`. */
export async function signInByLink(name: string): Promise<void> {
  try {
    begun(await keep(await ask('POST', { code: heldCode(), ...(name === '' ? {} : { name }) })))
    useUpCode()
  } catch (error) {
    if (!isRefusal(error)) throw error
    useUpCode()
    refusedCode = true
  }
}

/** A code that was used, is too old, or came after too many wrong ones. Any other failure passes, and the link still works. */
const isRefusal = (error: unknown): boolean => error instanceof ApiFault && error.status >= 400 && error.status < 500

function begun(session: Session): void {
  queryClient.setQueryData(sessionQuery.queryKey, session)
  tellTabs('signed-in')
}

/** Ends the session in all tabs and removes everything that was read with it. */
export async function signOut(): Promise<void> {
  await ask('DELETE')
  tellTabs('signed-out')
  forget()
}

/** Removes the session and everything that was read with it from this tab. */
export function forget(): void {
  keepCsrfToken(undefined)
  rememberSession(false)
  // The session is removed first, because that removes the pages. While they are shown they would read again what is removed next.
  queryClient.setQueryData(sessionQuery.queryKey, null)
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  queryClient.getMutationCache().clear()
}

/** Gives the session and the function that signs out. Below SessionGate there always is a session. */
export function useSession(): Session & { signOut: () => Promise<void> } {
  const { data } = useQuery(sessionQuery)
  return { ...(data ?? { name: '', expiresAt: '', csrfToken: '', scopes: [], appId: null }), signOut }
}

/** A message between the tabs of one browser, which share the session's cookie. */
export type TabNews = 'signed-in' | 'signed-out'

const channel = new BroadcastChannel('herald')

/** Sends a message to the other tabs. */
const tellTabs = (news: TabNews): void => channel.postMessage(news)

/** Calls `hear` with each message of another tab, until the returned function is called. */
export function hearTabs(hear: (news: TabNews) => void): () => void {
  const listen = ({ data }: MessageEvent<unknown>): void => {
    if (data !== 'signed-in' && data !== 'signed-out') return
    // The storage of another tab's process may come later than its message. Without the mark this tab would not ask for the session.
    if (data === 'signed-in') rememberSession(true)
    hear(data)
  }
  channel.addEventListener('message', listen)
  return () => channel.removeEventListener('message', listen)
}
