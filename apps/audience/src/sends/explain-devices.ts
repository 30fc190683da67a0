import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { ExplainedDevice } from '@herald/contracts/calls/audience'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { mostExplained } from '@herald/contracts/explain'
import { parseSegment, type Segment } from '@herald/contracts/segment'
import type { UserAddress } from '@herald/contracts/user'
import { explainDevice } from './core/explain-device.ts'
import type { SendToExplain } from './core/explain-rules.ts'
import {
  findCapClaims,
  findDeviceIds,
  findDevicesToExplain,
  findFanOutToExplain,
  findLastNotifiedOf,
  findMatches,
  findOpenBatches,
  findOpenCircuits,
  findUsersToExplain,
  getNow,
  inOneSnapshot,
} from './store/explained.ts'
import { findHolders } from '../store/activities.ts'
import type { Db } from '../store/tables.ts'
import { findUser } from '../people/store/users.ts'

type Asked = {
  appId: string
  campaignId: string
  begins: boolean
  startedAt: string | null
  send: FrozenSend
  target: FrozenTarget
  settings: AppSettings
  devices: { subscriptionId: string; no: number | null }[]
}
type Answer = { startedAt: string | null; settledAt: string | null; failure: string | null; devices: ExplainedDevice[] }

/** Finds a user and the user's present devices, at most 100; null when the app has no such user. */
export async function findDevicesOf(
  { db }: { db: Db },
  { appId, user: address }: { appId: string; user: UserAddress },
): Promise<{ user: { id: string; externalId: string | null }; subscriptionIds: string[] } | null> {
  const user = await findUser(db, appId, address)
  return user ? { user, subscriptionIds: await findDeviceIds(db, user.id, mostExplained) } : null
}

/**
 * Explains why each of these devices got a send or did not, in the order asked. It reads rows by their keys, and evaluates the segment for these
 * devices only, in one read-only snapshot.
 */
export const explainDevices = ({ db }: { db: Db }, asked: Asked): Promise<Answer> =>
  inOneSnapshot(db, (snapshot) => explain(snapshot, asked))

async function explain(db: Db, { appId, campaignId, begins, send, target, settings, devices, ...asked }: Asked): Promise<Answer> {
  const ids = devices.map(({ subscriptionId }) => subscriptionId)
  const fanOut = await findFanOutToExplain(db, appId, campaignId)
  const now = fanOut?.now ?? (await getNow(db))
  const startedAt = fanOut?.startedAt ?? (asked.startedAt === null ? null : new Date(asked.startedAt))
  const known = new Map((await findDevicesToExplain(db, appId, ids)).map((device) => [device.id, device]))
  const userIds = [...new Set([...known.values()].map(({ userId }) => userId))]
  const users = new Map((await findUsersToExplain(db, appId, userIds)).map((user) => [user.id, user]))
  const segment = segmentOf(target)
  const meant = segment ? await findMatches(db, segment, { ids: [...known.keys()], now: startedAt ?? now }) : nobody
  const lastNotified = segment ? await findLastNotifiedOf(db, ids) : new Map<string, Date>()
  const batches =
    fanOut && !begins ? await findOpenBatches(db, { appId, campaignId, told: fanOut.toldBatches }, devices) : new Map<string, never>()
  const holders = send.activity ? await findHolders(db, appId, send.activity, ids) : nobody.meant
  const circuits = batches.size > 0 ? await findOpenCircuits(db, appId) : []
  const of: SendToExplain = { send, target, segment, settings: fanOut?.settings ?? settings, begins, startedAt, fanOut, now }
  const claims = of.settings.frequencyCap
    ? Map.groupBy(await findCapClaims(db, appId, userIds), ({ userId }) => userId)
    : new Map<string, never>()

  return {
    startedAt: fanOut?.startedAt.toISOString() ?? null,
    settledAt: fanOut?.settledAt?.toISOString() ?? null,
    failure: fanOut?.failure?.message ?? null,
    devices: ids.map((subscriptionId) => {
      const device = known.get(subscriptionId)
      return explainDevice(of, {
        subscriptionId,
        device,
        user: device && users.get(device.userId),
        lastNotifiedAt: lastNotified.get(subscriptionId) ?? null,
        isMeant: meant.meant.has(subscriptionId),
        matched: meant.byLeaf.map((found) => found.has(subscriptionId)),
        batch: batches.get(subscriptionId),
        circuits,
        hasActivity: holders.has(subscriptionId),
        claims: (device && claims.get(device.userId)) ?? [],
      })
    }),
  }
}

const nobody = { meant: new Set<string>(), byLeaf: [] as Set<string>[] }

/** Compiles the segment of a target; null when the target is no segment, or a segment that is invalid in this version of Herald. */
function segmentOf(target: FrozenTarget): Segment | null {
  if (target.kind !== 'segment') return null
  const parsed = parseSegment(target.segment, 'segment')
  return parsed.ok ? parsed.segment : null
}
