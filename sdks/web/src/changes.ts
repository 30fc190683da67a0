import type { Kept } from './store.ts'

/** What a page may say of the person. Tags merge, and null deletes one. */
export type UserChanges = {
  tags?: Record<string, string | number | boolean | null>
  language?: string
  timezone?: string
  country?: string
}

export type Change = { id: string; at: number } & (
  | { kind: 'register'; user: UserChanges }
  | { kind: 'user'; user: UserChanges }
  | { kind: 'login'; externalId: string }
  | { kind: 'logout' }
  | { kind: 'opted'; optedIn: boolean }
  | { kind: 'delete'; subscription: string }
)

const most = 50
const longestMs = 7 * 86_400_000

const merge = (one: UserChanges, other: UserChanges): UserChanges => {
  const tags = { ...one.tags, ...other.tags }
  return { ...one, ...other, ...(Object.keys(tags).length > 0 && { tags }) }
}

/**
 * Puts a change at the end of what waits, and answers the id to wait for. What is overtaken goes: a logout drops what was said of the
 * person before, an end of the subscription drops everything, and changes of the person in a row are one. A merged change is a new one,
 * since the old one may be under way.
 */
export function addChange(kept: Kept, change: Change): string {
  const { kind } = change
  const without = (...kinds: Change['kind'][]) => kept.changes.filter((other) => !kinds.includes(other.kind))
  const last = kept.changes.filter((other) => other.kind === kind).at(-1)
  let waiting = kept.changes
  if (kind === 'user' && last?.kind === kind && last === waiting.at(-1)) {
    waiting = waiting.slice(0, -1)
    change = { ...change, user: merge(last.user, change.user) }
  }
  if (kind === 'register') {
    waiting = without('register')
    if (last?.kind === kind) change = { ...change, user: merge(last.user, change.user) }
  }
  if (kind === 'login' && last?.kind === kind && last.externalId === change.externalId) return last.id
  if (kind === 'logout') {
    waiting = without('login', 'user', 'logout').map((other) => (other.kind === 'register' ? { ...other, user: {} } : other))
  }
  // Who opted out is not registered, also if the registration was asked for before.
  if (kind === 'opted') waiting = change.optedIn ? without('opted') : without('opted', 'register')
  if (kind === 'delete') waiting = kept.changes.filter((other) => other.kind === 'delete')
  kept.changes = shorten([...waiting, change])
  return change.id
}

/** At most 50: the oldest words about a person go first. */
function shorten(waiting: Change[]): Change[] {
  if (waiting.length <= most) return waiting
  const oldest = Math.max(
    0,
    waiting.findIndex(({ kind }) => kind === 'user'),
  )
  return waiting.filter((_, index) => index !== oldest)
}

/** Forgets what has waited for a week. What protects a person (an opt-out, a logout, an end) is never too old. */
export function dropOldChanges(kept: Kept, now: number): void {
  kept.changes = kept.changes.filter(({ kind, at }) => now - at < longestMs || ['opted', 'logout', 'delete'].includes(kind))
}

/** What is to be told next. Without a device at Herald only its registration, or the end of an earlier one, can be. */
export const nextChange = ({ id, changes, optedOut }: Kept): Change | undefined =>
  id === undefined ? changes.find(({ kind }) => kind === 'delete' || (kind === 'register' && !optedOut)) : changes[0]

/** Whether Herald may still take this browser for another person's, so that a push must show no text. */
export const isOwnerUncertain = ({ changes, person }: Kept): boolean =>
  changes.some(({ kind }) => kind === 'logout' || (kind === 'login' && person !== undefined))

/** Takes over who owns the device now, and remembers whom it belonged to: a push to them may still be on its way. */
export function changeOwner(kept: Kept, userId: string, person: string | undefined): void {
  const former = kept.userId !== undefined && kept.userId !== userId && kept.person !== undefined ? [kept.userId] : []
  kept.formerUsers = [...former, ...(kept.formerUsers ?? [])].filter((user) => user !== userId).slice(0, 5)
  kept.userId = userId
  if (person === undefined) delete kept.person
  else kept.person = person
}
