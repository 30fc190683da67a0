import type { Kept } from './store.ts'

/** What a page may change of its user. Tags are merged, and null deletes a tag. */
export type UserChanges = {
  tags?: Record<string, string | number | boolean | null>
  language?: string
  timezone?: string
  country?: string
}

/** The kind of a change, which decides which waiting changes become pointless (see `overtakes`). */
type Kind = 'register' | 'user' | 'login' | 'logout' | 'opted' | 'delete'

/** A change that waits to be sent to Herald: a registration, or a request below `/v1/subscriptions/<id>`. */
export type Change = {
  id: string
  at: number
  kind: Kind
  /** The HTTP method; POST when there is none. */
  method?: string
  path?: string
  body?: (UserChanges & { externalId?: string; optedIn?: boolean }) | undefined
  /** The id of the device that the change is for, when it is not this browser's present device. */
  device?: string
}

const most = 50
const longestMs = 7 * 86_400_000

const overtakes: Partial<Record<Kind, string>> = {
  register: 'register',
  logout: 'login user logout',
  // A registration after an opt-out would opt the device in again, so an opt-out drops a waiting registration.
  opted: 'register opted',
  delete: 'register user login logout opted',
}

/** Adds a change to the waiting ones, and removes waiting changes that it makes pointless. When 50 wait, it also drops logins and user data. */
export function addChange(kept: Kept, change: Change): void {
  const isFull = kept.changes.length >= most
  const waiting = kept.changes.filter(({ kind }) => !overtakes[change.kind]?.includes(kind) && !(isFull && /user|login/.test(kind)))
  kept.changes = [...waiting, change]
}

/** Drops changes that have waited for a week, but never an opt-in, an opt-out, a logout or an unsubscription, because the user relies on them. */
export function dropOldChanges(kept: Kept): void {
  kept.changes = kept.changes.filter(({ kind, at }) => Date.now() - at < longestMs || /opt|out|del/.test(kind))
}

/**
 * Gives the next change to send; undefined when there is none. While Herald has no device for this browser, only a registration (not after an
 * opt-out) and the deletion of an earlier device are sent.
 */
export const nextChange = ({ device: { id }, changes, out }: Kept): Change | undefined =>
  id ? changes[0] : changes.find(({ kind, device }) => device || (kind === 'register' && !out))

/** Whether Herald may still send this browser pushes for another user: a logout or a change of users waits. A push then shows no text. */
export const isOwnerUncertain = ({ changes, device: { person } }: Kept): boolean =>
  changes.some(({ kind }) => kind === 'logout' || (kind === 'login' && person))

/** Stores the device's present owner, and the last five logged-in owners before it: pushes to these may still arrive, and must show no text. */
export function changeOwner(kept: Kept, userId: string, person: string | undefined): void {
  const { device, former = [] } = kept
  const all = device.person ? [device.userId!, ...former] : former
  kept.former = all.filter((user) => user !== userId).slice(0, 5)
  Object.assign(device, { userId, person })
}
