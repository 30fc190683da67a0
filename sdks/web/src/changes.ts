import type { Kept } from './store.ts'

/** What a page may say of the person. Tags merge, and null deletes one. */
export type UserChanges = {
  tags?: Record<string, string | number | boolean | null>
  language?: string
  timezone?: string
  country?: string
}

/** What a change is about, which says what it makes pointless. */
type Kind = 'register' | 'user' | 'login' | 'logout' | 'opted' | 'delete'

/** Something that Herald is still to be told: the request to the device, below `/v1/subscriptions/<id>`. */
export type Change = {
  id: string
  at: number
  kind: Kind
  /** POST when left out. */
  method?: string
  path?: string
  body?: (UserChanges & { externalId?: string; optedIn?: boolean }) | undefined
  /** The device, where it is another one than that of the moment. */
  device?: string
}

const most = 50
const longestMs = 7 * 86_400_000

const overtakes: Partial<Record<Kind, string>> = {
  register: 'register',
  logout: 'login user logout',
  // Who opted out is not registered, also if that was asked for before.
  opted: 'register opted',
  delete: 'register user login logout opted',
}

/** Puts a change at the end of what waits. What it overtakes goes and, when there is too much, what was said about a person. */
export function addChange(kept: Kept, change: Change): void {
  const isFull = kept.changes.length >= most
  const waiting = kept.changes.filter(({ kind }) => !overtakes[change.kind]?.includes(kind) && !(isFull && /user|login/.test(kind)))
  kept.changes = [...waiting, change]
}

/** Forgets what has waited for a week. What protects a person (an opt-out, a logout, an end) is never too old. */
export function dropOldChanges(kept: Kept): void {
  kept.changes = kept.changes.filter(({ kind, at }) => Date.now() - at < longestMs || /opt|out|del/.test(kind))
}

/** What is to be told next. Without a device at Herald only its registration, or the end of an earlier one, can be. */
export const nextChange = ({ device: { id }, changes, out }: Kept): Change | undefined =>
  id ? changes[0] : changes.find(({ kind, device }) => device || (kind === 'register' && !out))

/** Whether Herald may still take this browser for another person's, so that a push must show no text. */
export const isOwnerUncertain = ({ changes, device: { person } }: Kept): boolean =>
  changes.some(({ kind }) => kind === 'logout' || (kind === 'login' && person))

/** Takes over who owns the device now, and remembers whom it belonged to: a push to them may still be on its way. */
export function changeOwner(kept: Kept, userId: string, person: string | undefined): void {
  const { device, former = [] } = kept
  const all = device.person ? [device.userId!, ...former] : former
  kept.former = all.filter((user) => user !== userId).slice(0, 5)
  Object.assign(device, { userId, person })
}
