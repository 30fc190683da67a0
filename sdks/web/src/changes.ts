import type { Kept, Change, Kind } from './store.ts'

const most = 50
const longestMs = 7 * 86_400_000

const overtakes: Partial<Record<Kind, string>> = {
  register: 'register',
  logout: 'login user logout',
  // A registration after an opt-out would opt the device in again, so an opt-out drops a waiting registration.
  opted: 'register opted',
  delete: 'register user login logout opted',
}

/**
 * Adds a change to the waiting ones, and removes those that it makes pointless. When 50 or more wait already, it also removes all waiting logins and
 * changes of user data, so that the list stays bounded.
 */
export function addChange(kept: Kept, change: Change): void {
  const isFull = kept.changes.length >= most
  const waiting = kept.changes.filter(({ kind }) => !overtakes[change.kind]?.includes(kind) && !(isFull && /user|login/.test(kind)))
  kept.changes = [...waiting, change]
}

/** Drops changes that have waited for a week. Opt-ins, opt-outs, logouts and unsubscriptions are never dropped, because the user relies on them. */
export function dropOldChanges(kept: Kept): void {
  kept.changes = kept.changes.filter(({ kind, at }) => Date.now() - at < longestMs || /opt|out|del/.test(kind))
}

/**
 * Gives the next change to send, if any. While Herald has no device for this browser, only the deletion of an earlier device may be sent and, unless
 * the user has opted out, a registration.
 */
export const nextChange = ({ device: { id }, changes, out }: Kept): Change | undefined =>
  id ? changes[0] : changes.find(({ kind, device }) => device || (kind === 'register' && !out))

/**
 * Whether Herald may still send this browser pushes for another user, because a logout or a change of users waits to be sent. While it is true, a
 * push is shown without its text.
 */
export const isOwnerUncertain = ({ changes, device: { person } }: Kept): boolean =>
  changes.some(({ kind }) => kind === 'logout' || (kind === 'login' && person))

/**
 * Stores the device's present owner, and in `former` the last five logged-in owners before. Pushes to a former owner may still arrive, and must show
 * no text.
 */
export function changeOwner(kept: Kept, userId: string, person: string | undefined): void {
  const { device, former = [] } = kept
  const all = device.person ? [device.userId!, ...former] : former
  kept.former = all.filter((user) => user !== userId).slice(0, 5)
  Object.assign(device, { userId, person })
}
