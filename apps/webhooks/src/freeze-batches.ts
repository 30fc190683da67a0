import { findExternalIds } from '@herald/contracts/calls/audience'
import { transact } from '@herald/service/postgres'
import { bodyOf, newDeliveryId } from './core/batch.ts'
import { findErasedUsers, lockFreezing } from './store/bodies.ts'
import { insertDeliveries } from './store/deliveries.ts'
import { findOldest, findQueueHeads, keyOf, lockFreeQueues, takeWaiting, type QueueHead, type WaitingRow } from './store/waiting-events.ts'
import type { Webhooks } from './webhooks.ts'

/** Queues looked at in one go: 10,000 events at most. */
const mostQueues = 100
/** What one call for external ids may ask for. */
const idsPerCall = 1_000

/**
 * Makes a delivery of every queue whose batch is due: the oldest 100 events become a row with frozen bytes. External ids are looked up
 * now, outside the transaction, and never stored elsewhere; events of an app whose users cannot be asked about stay in the queue.
 */
export async function freezeBatches({ db, bus, log }: Pick<Webhooks, 'db' | 'bus' | 'log'>): Promise<{ took: number; nextInMs?: number }> {
  const heads = await findQueueHeads(db, mostQueues)
  const due = heads.filter(({ dueInMs }) => dueInMs <= 0)
  const next = heads.find(({ dueInMs }) => dueInMs > 0)?.dueInMs
  const idle = { took: 0, ...(next === undefined ? {} : { nextInMs: next }) }
  if (due.length === 0) return idle

  const events = await findOldest(
    db,
    due.map(({ endpointId }) => endpointId),
  )
  const appOf = new Map(due.map(({ endpointId, appId }) => [endpointId, appId]))
  const externalIds = await lookUpExternalIds({ bus, log }, events, appOf)
  const ready = due.filter(({ appId }) => externalIds.has(appId))
  if (ready.length === 0) return idle
  return { took: await freeze({ db }, ready, events, externalIds) }
}

type ExternalIds = Map<string, Record<string, string>>

/** External ids by app. An app that could not be asked about is not in the answer. */
async function lookUpExternalIds(
  { bus, log }: Pick<Webhooks, 'bus' | 'log'>,
  events: WaitingRow[],
  appOf: Map<string, string>,
): Promise<ExternalIds> {
  const usersOf = new Map<string, Set<string>>()
  for (const { endpoint_id, user_id } of events) {
    const appId = appOf.get(endpoint_id) ?? ''
    const users = usersOf.get(appId) ?? new Set()
    usersOf.set(appId, users)
    if (user_id !== null) users.add(user_id)
  }
  const found: ExternalIds = new Map()
  await Promise.all(
    [...usersOf].map(async ([appId, users]) => {
      try {
        const asked = chunksOf([...users], idsPerCall).map((userIds) => bus.call(findExternalIds, { appId, userIds }))
        found.set(appId, Object.assign({}, ...(await Promise.all(asked)).map((answer) => answer.externalIds)))
      } catch (error) {
        log.debug({ appId, err: error }, 'external ids could not be looked up')
      }
    }),
  )
  return found
}

const chunksOf = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) => items.slice(chunk * size, (chunk + 1) * size))

/** Takes the events out of their queues and writes the deliveries, at once. A queue that another process has locked is left to it. */
function freeze({ db }: Pick<Webhooks, 'db'>, due: QueueHead[], events: WaitingRow[], externalIds: ExternalIds): Promise<number> {
  return transact(db, async (trx) => {
    await lockFreezing(trx, [...new Set(due.map(({ appId }) => appId))])
    const free = await lockFreeQueues(
      trx,
      due.map(({ endpointId }) => endpointId),
    )
    const candidates = events.filter(({ endpoint_id }) => free.has(endpoint_id))
    if (candidates.length === 0) return 0
    const taken = await takeWaiting(trx, candidates)
    const erased = await findErasedUsers(trx, [...new Set(candidates.flatMap(({ user_id }) => user_id ?? []))])

    const byEndpoint = Map.groupBy(
      candidates.filter((event) => taken.has(keyOf(event))),
      ({ endpoint_id }) => endpoint_id,
    )
    const deliveries = due.flatMap(({ endpointId, appId }) => {
      const batch = byEndpoint.get(endpointId)
      if (batch === undefined) return []
      const id = newDeliveryId()
      const names = Object.fromEntries(Object.entries(externalIds.get(appId) ?? {}).filter(([userId]) => !erased.has(userId)))
      const userIds = [...new Set(batch.flatMap(({ user_id }) => user_id ?? []))]
      return [{ id, endpointId, appId, eventCount: batch.length, userIds, body: bodyOf(id, batch, names) }]
    })
    await insertDeliveries(trx, deliveries)
    return deliveries.length
  })
}
