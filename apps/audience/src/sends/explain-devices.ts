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

/** A user with the devices that they have now, at most 100; null: unknown. */
export async function findDevicesOf(
  db: Db,
  { appId, user: address }: { appId: string; user: UserAddress },
): Promise<{ user: { id: string; externalId: string | null }; subscriptionIds: string[] } | null> {
  const user = await findUser(db, appId, address)
  return user ? { user, subscriptionIds: await findDeviceIds(db, user.id, mostExplained) } : null
}

/** Explains devices for a send, each in the order asked, in one snapshot that writes nothing: rows by their keys, and the segment's own statement on these devices alone. */
export const explainDevices = (db: Db, asked: Asked): Promise<Answer> => inOneSnapshot(db, (snapshot) => explain(snapshot, asked))

async function explain(db: Db, { appId, campaignId, begins, send, target, settings, devices, ...asked }: Asked): Promise<Answer> {
  const ids = devices.map(({ subscriptionId }) => subscriptionId)
  const fanOut = await findFanOutToExplain(db, appId, campaignId)
  const now = fanOut?.now ?? (await getNow(db))
  const startedAt = fanOut?.started_at ?? (asked.startedAt === null ? null : new Date(asked.startedAt))
  const known = new Map((await findDevicesToExplain(db, appId, ids)).map((device) => [device.id, device]))
  const userIds = [...new Set([...known.values()].map(({ user_id }) => user_id))]
  const users = new Map((await findUsersToExplain(db, appId, userIds)).map((user) => [user.id, user]))
  const segment = segmentOf(target)
  const meant = segment ? await findMatches(db, segment, { ids: [...known.keys()], now: startedAt ?? now }) : nobody
  const lastNotified = segment ? await findLastNotifiedOf(db, ids) : new Map<string, Date>()
  const batches =
    fanOut && !begins ? await findOpenBatches(db, { appId, campaignId, told: fanOut.told_batches }, devices) : new Map<string, never>()
  const circuits = batches.size > 0 ? await findOpenCircuits(db, appId) : []
  const of: SendToExplain = { send, target, segment, settings: fanOut?.settings ?? settings, begins, startedAt, fanOut, now }
  const claims = of.settings.frequencyCap
    ? Map.groupBy(await findCapClaims(db, appId, userIds), ({ userId }) => userId)
    : new Map<string, never>()

  return {
    startedAt: fanOut?.started_at.toISOString() ?? null,
    settledAt: fanOut?.settled_at?.toISOString() ?? null,
    failure: fanOut?.failure?.message ?? null,
    devices: ids.map((subscriptionId) => {
      const device = known.get(subscriptionId)
      return explainDevice(of, {
        subscriptionId,
        device,
        user: device && users.get(device.user_id),
        lastNotifiedAt: lastNotified.get(subscriptionId) ?? null,
        isMeant: meant.meant.has(subscriptionId),
        matched: meant.byLeaf.map((found) => found.has(subscriptionId)),
        batch: batches.get(subscriptionId),
        circuits,
        claims: (device && claims.get(device.user_id)) ?? [],
      })
    }),
  }
}

const nobody = { meant: new Set<string>(), byLeaf: [] as Set<string>[] }

/** Null: the target is no segment, or one that does not compile any more. */
function segmentOf(target: FrozenTarget): Segment | null {
  if (target.kind !== 'segment') return null
  const parsed = parseSegment(target.segment, 'segment')
  return parsed.ok ? parsed.segment : null
}
