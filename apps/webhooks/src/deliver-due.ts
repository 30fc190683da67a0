import { signWebhook, webhookSignatureHeader } from '@herald/auth/webhook-signature'
import { transact } from '@herald/service/postgres'
import { bodyOf } from './core/batch.ts'
import { secretContext } from './core/seal-context.ts'
import type { ResponseMeaning } from './core/response.ts'
import type { Ended } from './record-attempts.ts'
import { readBodies } from './store/bodies.ts'
import { findNextDue, giveBack, renewLeases, takeDueDeliveries, type TakenDelivery } from './store/deliveries.ts'
import type { Webhooks } from './webhooks.ts'

/** Deliveries of one process on their way at once. Each may hold ~40 kB of body and as much of an answer. */
const slots = 512
/** Of these, endpoints that failed or were slow last time get so many: they may use up their ten seconds again. */
const suspectSlots = 256
/** A process that was frozen between take and post must not play out what others have taken since: the lease is 4 s. */
const startWithinMs = 2_000
const renewEveryMs = 1_000
/** What is on its way when the process stops is waited for so long; what is not over then is sent again when its lease ends. */
const finishWithinMs = 6_000

export type Deliverer = {
  /** Takes what is due and starts posting it; answers how many were taken, without waiting for their answers. */
  deliverDue(): Promise<{ took: number; nextInMs?: number }>
  finish(): Promise<unknown>
}

/**
 * Posts what is due. `record` commits what came of an attempt; `onEnd` hears that a slot of an app is free. A waiting retry holds none: it is a row
 * with a due time.
 */
export function openDeliverer(
  webhooks: Webhooks,
  { record, onEnd }: { record: (ended: Ended) => Promise<ResponseMeaning['is']>; onEnd: (appId: string) => void },
): Deliverer {
  const { db, log } = webhooks
  const onTheWay = new Map<TakenDelivery, Promise<void>>()
  let suspects = 0

  const deliverOne = async (delivery: TakenDelivery, events: Buffer) => {
    const { id, appId, endpointId, takes, tries } = delivery
    if (delivery.isSuspect) suspects += 1
    try {
      const at = new Date()
      const answer = await post(webhooks, delivery, bodyOf(id, events))
      const meaning = await record({ id, endpointId, takes, tries, at, answer })
      const { status, error, latencyMs } = answer
      log.info({ deliveryId: id, appId, endpointId, try: tries + 1, status, error, latencyMs, meaning }, 'webhook attempt')
    } catch (error) {
      // The row is leased: it is due again when the lease ends.
      log.error({ deliveryId: id, appId, endpointId, err: error }, 'an attempt could not be made or recorded')
    } finally {
      if (delivery.isSuspect) suspects -= 1
    }
  }

  // A database that is away lets the leases run out: what is on its way may then be sent twice, never not at all.
  const renewing = setInterval(() => {
    if (onTheWay.size > 0) renewLeases(db, [...onTheWay.keys()]).catch((error: unknown) => log.warn({ err: error }, 'leases not renewed'))
  }, renewEveryMs)

  return {
    async deliverDue() {
      const room = slots - onTheWay.size
      if (room <= 0) return { took: 0 }
      const askedAt = performance.now()
      const taken = await transact(db, (trx) => takeDueDeliveries(trx, { slots: room, suspectSlots: Math.max(0, suspectSlots - suspects) }))
      if (performance.now() - askedAt > startWithinMs) {
        await giveBack(db, taken)
        return { took: 0 }
      }
      const bodies = await bodiesOf(webhooks, taken)
      for (const delivery of taken) {
        const events = bodies.get(delivery.bodyId)
        // It was erased since it was taken, and so is the delivery.
        if (events === undefined) continue
        const work = deliverOne(delivery, events).finally(() => {
          onTheWay.delete(delivery)
          onEnd(delivery.appId)
        })
        onTheWay.set(delivery, work)
      }
      if (taken.length > 0) return { took: taken.length }
      const nextInMs = await findNextDue(db)
      return { took: 0, ...(nextInMs === undefined ? {} : { nextInMs }) }
    },
    async finish() {
      await Promise.race([Promise.allSettled(onTheWay.values()), new Promise((resolve) => setTimeout(resolve, finishWithinMs).unref())])
      clearInterval(renewing)
    },
  }
}

/** The events of what was taken, by the body's number: each is read once, however many endpoints it goes to. */
async function bodiesOf({ db, bodies }: Webhooks, taken: TakenDelivery[]): Promise<Map<number, Buffer>> {
  const ids = [...new Set(taken.map(({ bodyId }) => bodyId))]
  const known = new Map(ids.flatMap((id) => (bodies.has(id) ? [[id, bodies.get(id) ?? Buffer.of()] as const] : [])))
  const unknown = ids.filter((id) => !known.has(id))
  const read = unknown.length === 0 ? known : await readBodies(db, unknown)
  for (const [id, events] of read) {
    known.set(id, events)
    bodies.set(id, events)
  }
  return known
}

/** Signs with the newest secret known at the moment the connection stands, and otherwise with the one that the delivery carries. */
function post({ post: send, sealer, secrets }: Webhooks, delivery: TakenDelivery, body: Buffer) {
  const { endpointId, appId, secretVersion: version, sealedSecret, url } = delivery
  const carried = secrets.known(endpointId, version) ?? {
    version,
    secret: sealer.open(sealedSecret, secretContext(appId, endpointId)).toString(),
  }
  secrets.remember(endpointId, carried)
  return send(url, body, () => ({ [webhookSignatureHeader]: signWebhook(secrets.toSignWith(endpointId, carried), body, new Date()) }))
}
