import type { AddressForm, ExportedUser } from '@herald/contracts/person'
import type { Segment } from '@herald/contracts/segment'
import type { LastNotified } from '../last-notified.ts'
import { readSegment } from './read-users.ts'
import { databaseNow } from '../segments/store/counts.ts'
import { findMeant, findNextUsers, findPortion, maskDevice } from './store/user-reads.ts'
import { findDevicesOf, type FoundDevice } from './store/subscription-reads.ts'
import type { Db } from '../store/tables.ts'
import { findChoices, findUsersAlone } from './store/users.ts'

/** A portion of an export has at most this many users, whom audience reads in about 20 ms. */
const mostUsers = 500
/**
 * For a portion of an export with a segment, audience checks at most this many users, in or outside the segment. To check a user takes about 10 µs.
 */
const mostOfSegment = 5_000

type Asked = { appId: string; after: string | null; segmentId?: string | undefined; addresses: AddressForm }

/**
 * Gives the next portion of an app's users by id, with their devices (spec: administration/export-everybody). It begins after the last portion's last
 * id, so a user who exists throughout is in the export once. Faults: those of `readSegment`.
 */
export async function exportUsers(
  { db, lastNotified }: { db: Db; lastNotified: LastNotified },
  { appId, after, segmentId, addresses }: Asked,
): Promise<{ users: ExportedUser[]; next: string | null }> {
  const segment = segmentId === undefined ? undefined : await readSegment({ db, lastNotified }, { appId, segmentId })
  const most = segment ? mostOfSegment : mostUsers
  const examined = await findNextUsers(db, { appId, after, limit: most })
  const wanted = segment ? await keepMeant(db, segment, examined) : examined
  const ids = await findPortion(db, wanted.slice(0, mostUsers))
  const devices = Map.groupBy(await findDevicesOf(db, ids), ({ userId }) => userId)
  const choices = await findChoices(db, ids)
  const users = (await findUsersAlone(db, ids)).map((user) => ({
    ...user,
    subscriptions: (devices.get(user.id) ?? []).map((device) => exported(device, addresses)),
    preferences: choices.get(user.id) ?? {},
  }))
  return { users, next: nextOf({ examined, wanted, ids, most }) }
}

async function keepMeant(db: Db, segment: Segment, ids: string[]): Promise<string[]> {
  const meant = await findMeant(db, segment, ids, await databaseNow(db))
  return ids.filter((id) => meant.has(id))
}

/**
 * Gives the id after which the next portion begins; null after the last portion: this portion's last user when wanted users did not fit, otherwise
 * the last user examined. Users who were erased meanwhile are not in `ids`.
 */
function nextOf({ examined, wanted, ids, most }: { examined: string[]; wanted: string[]; ids: string[]; most: number }): string | null {
  const last = ids.at(-1) ?? wanted.slice(0, mostUsers).at(-1)
  const isCut = last !== undefined && wanted.some((id) => id > last)
  if (isCut) return last
  return examined.length === most ? (examined.at(-1) ?? null) : null
}

function exported(found: FoundDevice, addresses: AddressForm): ExportedUser['subscriptions'][number] {
  const { lastNotifiedAt: _, ...shown } = addresses === 'full' ? { ...found.device, ...wholeAddress(found) } : maskDevice(found)
  return shown
}

const wholeAddress = ({ device, address }: FoundDevice) => (device.platform === 'web' ? { endpoint: address } : { token: address })
