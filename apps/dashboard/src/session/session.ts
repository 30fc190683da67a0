import { queryOptions } from '@tanstack/react-query'
import { send } from '../api/client.ts'
import { ApiFault } from '../api/fault.ts'
import { queryClient } from '../api/queryClient.ts'
import type { components } from '../api/schema.gen.ts'
import { keepCsrfToken } from './csrf.ts'
import { useUpCode } from './sign-in-code.ts'
import { tellTabs } from './tabs.ts'

/** Who is signed in, until when, and the token that changes need. */
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

/** In local storage while this browser has a session: without it the page does not ask for one, because a browser writes every 401 to its console. */
const hasSession = 'herald-has-session'

function rememberSession(isThere: boolean): void {
  try {
    if (isThere) localStorage.setItem(hasSession, 'yes')
    else localStorage.removeItem(hasSession)
  } catch {
    // Storage is blocked or full.
  }
}

function mayHaveSession(): boolean {
  try {
    return localStorage.getItem(hasSession) !== null
  } catch {
    // Storage is blocked: only the gateway knows.
    return true
  }
}

/** Gives the session of this browser, or null. A code in the link that opened the page is used first. */
async function readSession(): Promise<Session | null> {
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
    if (error instanceof ApiFault && (error.status === 401 || (code !== undefined && error.status < 500 && error.status >= 400))) {
      refusedCode = code !== undefined
      if (!refusedCode) rememberSession(false)
      return null
    }
    throw error
  }
}

let refusedCode = false

/** Whether the page was opened by a sign-in link that had been used already or was too old. */
export const wasCodeRefused = (): boolean => refusedCode

/** What the page knows of its session. */
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: readSession, staleTime: Infinity, gcTime: Infinity })

/** Begins a session with the administration token, which is sent once and kept nowhere. */
export async function signIn(token: string, name: string): Promise<void> {
  const session = await keep(await ask('POST', { token, ...(name === '' ? {} : { name }) }))
  queryClient.setQueryData(sessionQuery.queryKey, session)
  tellTabs('signed-in')
}

/** Ends the session here and in the other tabs. What was read is forgotten. */
export async function signOut(): Promise<void> {
  await ask('DELETE')
  tellTabs('signed-out')
  forget()
}

/** Forgets the session and everything that was read with it. */
export function forget(): void {
  keepCsrfToken(undefined)
  rememberSession(false)
  // The session goes first: it takes the pages away, which would otherwise read again what is removed next.
  queryClient.setQueryData(sessionQuery.queryKey, null)
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  queryClient.getMutationCache().clear()
}
