import { useQuery } from '@tanstack/react-query'
import { sessionQuery, signOut, type Session } from './session.ts'

/** Who is signed in. Below the session gate there always is somebody. */
export function useSession(): Session & { signOut: () => Promise<void> } {
  const { data } = useQuery(sessionQuery)
  return { ...(data ?? { name: '', expiresAt: '', csrfToken: '' }), signOut }
}
