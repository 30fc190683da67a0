import type { Kept } from './store.ts'

/** What a page may say of the person. Tags merge, and null deletes one. */
export type UserChanges = {
  tags?: Record<string, string | number | boolean | null>
  language?: string
  timezone?: string
  country?: string
}

/** Something that Herald is still to be told. */
export type Change = { id: string; at: number } & (
  | { kind: 'register' }
  | { kind: 'user'; user: UserChanges }
  | { kind: 'login'; externalId: string }
  | { kind: 'logout' }
  | { kind: 'opted'; optedIn: boolean }
  | { kind: 'delete'; subscription: string }
)

const most = 50
const longestMs = 7 * 86_400_000

/** What a new change of a kind makes pointless. Who opted out is not registered, also if that was asked for before. */
const overtakes: Record<Change['kind'], string> = {
  register: 'register',
  user: '',
  login: '',
  logout: 'login user logout',
  opted: 'opted',
  delete: 'register user login logout opted',
}

/**
 * Puts a change at the end of what waits, and answers the id to wait for. What is overtaken goes, and changes of the person in a row are
 * one: a new one, since the old one may be under way.
 */
export function addChange(kept: Kept, change: Change): string {
  const { kind } = change
  const before = kept.changes.filter((other) => other.kind === kind).at(-1)
  if (kind === 'login' && before?.kind === kind && before.externalId === change.externalId) return before.id
  let waiting = kept.changes.filter((other) => !overtakes[kind].includes(other.kind))
  if (kind === 'opted' && !change.optedIn) waiting = waiting.filter((other) => other.kind !== 'register')
  if (kind === 'user' && before?.kind === kind && before === waiting.at(-1)) {
    waiting.pop()
    const tags = { ...before.user.tags, ...change.user.tags }
    change.user = { ...before.user, ...change.user, ...(Object.keys(tags)[0] && { tags }) }
  }
  // The oldest words about a person go first.
  if (waiting.length >= most)
    waiting.splice(
      Math.max(
        0,
        waiting.findIndex((other) => other.kind === 'user'),
      ),
      1,
    )
  kept.changes = [...waiting, change]
  return change.id
}

/** Forgets what has waited for a week. What protects a person (an opt-out, a logout, an end) is never too old. */
export function dropOldChanges(kept: Kept, now: number): void {
  kept.changes = kept.changes.filter(({ kind, at }) => now - at < longestMs || /opted|logout|delete/.test(kind))
}

/** What is to be told next. Without a device at Herald only its registration, or the end of an earlier one, can be. */
export const nextChange = ({ id, changes, optedOut }: Kept): Change | undefined =>
  id ? changes[0] : changes.find(({ kind }) => kind === 'delete' || (kind === 'register' && !optedOut))

/** Whether Herald may still take this browser for another person's, so that a push must show no text. */
export const isOwnerUncertain = ({ changes, person }: Kept): boolean =>
  changes.some(({ kind }) => kind === 'logout' || (kind === 'login' && person))

/** Takes over who owns the device now, and remembers whom it belonged to: a push to them may still be on its way. */
export function changeOwner(kept: Kept, userId: string, person: string | undefined): void {
  const former = kept.person ? [kept.userId!] : []
  kept.formerUsers = [...former, ...(kept.formerUsers ?? [])].filter((user) => user !== userId).slice(0, 5)
  Object.assign(kept, { userId, person })
}
