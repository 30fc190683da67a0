import type { ReactNode } from 'react'
import { useSession } from './session.ts'

/** What an action needs: a scope of an administration key, or `platform` for what no key may do (spec: administration/admin-key-scopes). */
export type Needed = 'read' | 'send' | 'people' | 'settings' | 'platform'

/** Gives whether the session may do what needs a scope. Herald decides; the pages only leave out what it would refuse. */
export function useMay(): (needed: Needed) => boolean {
  const { scopes, appId } = useSession()
  return (needed) => (needed === 'platform' ? appId === null : scopes.includes(needed))
}

/** Shows its children when the session may do what is needed. */
export function May({ needed, children }: { needed: Needed; children: ReactNode }) {
  const may = useMay()
  return may(needed) ? children : null
}
