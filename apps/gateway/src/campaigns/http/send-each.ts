import { hash } from 'node:crypto'
import { sendNotification } from '@herald/contracts/calls/campaigns'
import { SendNotification } from '@herald/contracts/notification'
import { parseBody } from '@herald/contracts/validate'
import type { Bus } from '@herald/service/bus'
import type { DatabaseWatch } from '@herald/service/health'
import { z } from 'zod'
import { fingerprintOf, IdempotencyKey, longestIdempotencyKey } from '../../core/idempotency.ts'
import { refusedItem, type ItemResult } from '../../core/items.ts'
import { faultOf } from '../../http/faults.ts'

/** One item of POST /v1/notifications/batch: the body of POST /v1/notifications, with an idempotency key if the client gives one. */
export const NotificationInBatch = SendNotification.safeExtend({ idempotencyKey: IdempotencyKey.optional() })

export type SentItem = ItemResult<{ id: string; replayed?: true }>

/**
 * Sends each of several notifications as POST /v1/notifications would alone, and gives the results in the items' order. Each item counts in the rate
 * limit (`countSend` throws `rate_limited`). A refused item does not stop the others.
 */
export async function sendEach(
  { bus, watch }: { bus: Pick<Bus, 'call'>; watch: Pick<DatabaseWatch, 'guard'> },
  { appId, items, key, countSend }: { appId: string; items: unknown[]; key: string | null; countSend: () => void | Promise<void> },
): Promise<SentItem[]> {
  const sendOne = async (item: unknown, index: number, idempotencyKey: string | null): Promise<SentItem> => {
    try {
      const { idempotencyKey: _key, ...notification } = parseBody(NotificationInBatch, item)
      const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, fingerprint: fingerprintOfSend(item) }
      const { id, replayed } = await watch.guard(() => bus.call(sendNotification, { appId, idempotency, notification }))
      return { index, status: 202, id, ...(replayed ? { replayed } : {}) }
    } catch (error) {
      return refusedItem('notifications', index, faultOf(error))
    }
  }

  const lastOfKey = new Map<string, Promise<SentItem>>()
  const sendInOrder = async (item: unknown, index: number): Promise<SentItem> => {
    try {
      await countSend()
    } catch (error) {
      return refusedItem('notifications', index, faultOf(error))
    }
    // With keys, a client may repeat the request after a failure: only the missing items are then sent.
    const itemKey = keyOf(item) ?? keyOfPlace(key, index)
    if (itemKey === null) return sendOne(item, index, null)
    // Items with the same key are sent one after another, so that the second is a replay of the first.
    const before = lastOfKey.get(itemKey)
    const sent = before === undefined ? sendOne(item, index, itemKey) : before.then(() => sendOne(item, index, itemKey))
    lastOfKey.set(itemKey, sent)
    return sent
  }
  return Promise.all(items.map(sendInOrder))
}

/** Gives the idempotency key that an item has, valid or not: `sendOne` checks it together with the item. */
const keyOf = (item: unknown): string | undefined => {
  const { data } = z.object({ idempotencyKey: z.string() }).safeParse(item)
  return data?.idempotencyKey
}

/**
 * Gives the idempotency key of the item at `index`, `<key>:<index>`, from the request's key. When that is too long the key is hashed first, so the
 * client may use all 255 characters here too.
 */
function keyOfPlace(key: string | null, index: number): string | null {
  if (key === null) return null
  const whole = `${key}:${index}`
  return whole.length <= longestIdempotencyKey ? whole : `${hash('sha256', key)}:${index}`
}

/**
 * Gives the fingerprint that POST /v1/notifications would give to the item. So a client that repeats an item alone, with the same key, sends nothing
 * twice.
 */
const fingerprintOfSend = (item: unknown): string => {
  const { idempotencyKey: _key, ...body } = Object(item) as { idempotencyKey?: unknown }
  return fingerprintOf('POST', '/v1/notifications', body)
}
