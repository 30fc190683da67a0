import { useQuery } from '@tanstack/react-query'
import { sessionQuery, signOut, type Session } from './session.ts'

/** Gives the session and the function that signs out. Below SessionGate there always is a session. */
export function useSession(): Session & { signOut: () => Promise<void> } {
  const { data } = useQuery(sessionQuery)
  return { ...(data ?? { name: '', expiresAt: '', csrfToken: '' }), signOut }
}
