import { useQuery } from '@tanstack/react-query'
import { sessionQuery, signOut, type Session } from './session.ts'

/** The present session. Below SessionGate there always is one. */
export function useSession(): Session & { signOut: () => Promise<void> } {
  const { data } = useQuery(sessionQuery)
  return { ...(data ?? { name: '', expiresAt: '', csrfToken: '' }), signOut }
}
