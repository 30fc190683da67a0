import type { Kept } from './store.ts'

/** The changes of a user that a page may make. Tags are merged, and null deletes one. */
export type UserChanges = {
  tags?: Record<string, string | number | boolean | null>
  language?: string
  timezone?: string
  country?: string
}

/** The kind of a change. It decides which waiting changes it makes pointless. */
type Kind = 'register' | 'user' | 'login' | 'logout' | 'opted' | 'delete'

/** A change that is still to be sent: a request below `/v1/subscriptions/<id>`. */
export type Change = {
  id: string
  at: number
  kind: Kind
  /** POST when left out. */
  method?: string
  path?: string
  body?: (UserChanges & { externalId?: string; optedIn?: boolean }) | undefined
  /** The id of the device, if it is not the present one. */
  device?: string
}

const most = 50
const longestMs = 7 * 86_400_000

const overtakes: Partial<Record<Kind, string>> = {
  register: 'register',
  logout: 'login user logout',
  // An opt-out also drops a registration that was asked for before it.
  opted: 'register opted',
  delete: 'register user login logout opted',
}

/** Adds a change to the waiting ones. It removes those that it makes pointless and, when there are too many, changes of the user's data. */
export function addChange(kept: Kept, change: Change): void {
  const isFull = kept.changes.length >= most
  const waiting = kept.changes.filter(({ kind }) => !overtakes[change.kind]?.includes(kind) && !(isFull && /user|login/.test(kind)))
  kept.changes = [...waiting, change]
}

/** Drops changes that have waited for a week. An opt-out, a logout and an unsubscription protect the user and are never dropped. */
export function dropOldChanges(kept: Kept): void {
  kept.changes = kept.changes.filter(({ kind, at }) => Date.now() - at < longestMs || /opt|out|del/.test(kind))
}

/** The next change to send. Without a device at Herald that can only be its registration, or the deletion of an earlier one. */
export const nextChange = ({ device: { id }, changes, out }: Kept): Change | undefined =>
  id ? changes[0] : changes.find(({ kind, device }) => device || (kind === 'register' && !out))

/** Whether Herald may still take this browser for another user's, so that a push must show no text. */
export const isOwnerUncertain = ({ changes, device: { person } }: Kept): boolean =>
  changes.some(({ kind }) => kind === 'logout' || (kind === 'login' && person))

/** Notes the present owner of the device, and remembers the earlier one: a push to that user may still be on its way. */
export function changeOwner(kept: Kept, userId: string, person: string | undefined): void {
  const { device, former = [] } = kept
  const all = device.person ? [device.userId!, ...former] : former
  kept.former = all.filter((user) => user !== userId).slice(0, 5)
  Object.assign(device, { userId, person })
}
