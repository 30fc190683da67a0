import { setTimeout as sleep } from 'node:timers/promises'
import { signWebhook, webhookSignatureHeader } from '@herald/auth/webhook-signature'
import { failsEverybody } from '@herald/service/health'
import { transact } from '@herald/service/postgres'
import { bodyOf } from './core/batch.ts'
import type { PostAnswer, ResponseMeaning } from './core/response.ts'
import type { Ended } from './record-attempts.ts'
import { readBodies } from './store/bodies.ts'
import { secretContext, type Secret } from './secrets.ts'
import { findNextDue, giveBack, lockOpenEndpoints, renewLeases, takeDueDeliveries, type TakenDelivery } from './store/deliveries.ts'
import type { Webhooks } from './webhooks.ts'

/** A process posts at most this many deliveries at once. Each may hold ~40 kB of body. */
const postsAtOnce = 512
/**
 * At most this many of the deliveries that are posted at once go to endpoints whose last attempt failed or was slow: each may take ten seconds again.
 * The others stay free for quick endpoints.
 */
const suspectsAtOnce = 256
/**
 * Deliveries are posted only if taking them took at most this long. Their lease ends after 4 s, and a process that was frozen while it took them must
 * not post deliveries that another process has taken since.
 */
const startWithinMs = 2_000
const renewEveryMs = 1_000
/**
 * A delivery whose attempt could not begin is given back, due again after this time. An endpoint whose secret does not open, or whose deliveries
 * cannot be taken or read, rests as long; another process may have the key.
 */
const againInMs = 5_000
/** A process that stops waits at most this long for attempts under way. A delivery whose attempt lasts longer is posted again when its lease ends. */
const finishWithinMs = 6_000

export type Deliverer = {
  /** Takes deliveries that are due and starts to post them. Gives how many it took, without waiting for the responses. */
  deliverDue(): Promise<{ took: number; nextInMs?: number }>
  finish(): Promise<unknown>
}

/**
 * Posts deliveries that are due. `record` commits an attempt's result, and `onEnd` is called when an attempt of an app has ended. A delivery that
 * waits for its next attempt is only a row with a due time.
 */
export function openDeliverer(
  webhooks: Webhooks,
  { record, onEnd }: { record: (ended: Ended) => Promise<ResponseMeaning['is']>; onEnd: (appId: string) => void },
): Deliverer {
  const { db, log } = webhooks
  const onTheWay = new Map<TakenDelivery, Promise<void>>()
  let suspects = 0
  /** Until when endpoints rest, by their ids. */
  const restUntil = new Map<string, number>()

  /** Gives back deliveries of which no byte was sent. While the database is away this fails, and they are due when their leases end. */
  const giveBackUnsent = (taken: TakenDelivery[]) =>
    giveBack(db, taken, againInMs).catch((error: unknown) => log.warn({ err: error }, 'deliveries could not be given back'))

  const rest = (endpointId: string) => void restUntil.set(endpointId, performance.now() + againInMs)

  /** Takes due deliveries, and after an error those of each endpoint alone. An endpoint that fails again rests. */
  const take = async (most: { deliveries: number; suspects: number; resting: string[] }): Promise<TakenDelivery[]> => {
    try {
      return await transact(db, (trx) => takeDueDeliveries(trx, most))
    } catch (together) {
      if (failsEverybody(together)) throw together
      const taken: TakenDelivery[] = []
      for (const only of await lockOpenEndpoints(db, most.resting)) {
        const left = { ...most, deliveries: most.deliveries - taken.length, only }
        if (left.deliveries === 0) break
        await transact(db, (trx) => takeDueDeliveries(trx, left)).then(
          (ofOne) => taken.push(...ofOne),
          (error: unknown) => {
            if (failsEverybody(error)) throw error
            rest(only)
            log.error({ endpointId: only, err: error }, 'the deliveries of a webhook endpoint cannot be taken; it rests for 5 s')
          },
        )
      }
      return taken
    }
  }

  /** Gives the bodies of taken deliveries, and after an error each alone. Deliveries whose body cannot be read are given back, and their endpoints rest. */
  const readBodiesOf = async (taken: TakenDelivery[]): Promise<Map<number, Buffer>> => {
    try {
      return await bodiesOf(webhooks, taken)
    } catch (together) {
      if (failsEverybody(together)) {
        await giveBackUnsent(taken)
        throw together
      }
      const bodies = new Map<number, Buffer>()
      for (const delivery of taken) {
        const { id: deliveryId, appId, endpointId, bodyId } = delivery
        try {
          if (!bodies.has(bodyId)) for (const [id, events] of await bodiesOf(webhooks, [delivery])) bodies.set(id, events)
        } catch (error) {
          log.error({ deliveryId, appId, endpointId, err: error }, 'the body of a delivery cannot be read; it is due again in 5 s')
          rest(endpointId)
          await giveBackUnsent([delivery])
        }
      }
      return bodies
    }
  }

  const deliverOne = async (delivery: TakenDelivery, events: Buffer) => {
    const { id, appId, endpointId, takes, tries, wasLost } = delivery
    if (delivery.isSuspect) suspects += 1
    try {
      const at = new Date()
      // Nothing was sent, so this counts as no attempt. The result of a lost attempt is recorded without the secret.
      const secret = wasLost ? undefined : secretOf(webhooks, delivery)
      if (secret instanceof Error) {
        log.error({ deliveryId: id, appId, endpointId, err: secret }, 'the secret of a webhook endpoint does not open')
        rest(endpointId)
        await giveBackUnsent([delivery])
        return
      }
      // The attempt of a process that died counts (spec: webhooks/lost-attempt). Otherwise a receiver that ends processes would be posted to for ever.
      const answer = secret === undefined ? lostAttempt : await post(webhooks, delivery, secret, bodyOf(id, events))
      const meaning = await record({ id, endpointId, takes, tries, wasLost, at, answer })
      const { status, error, latencyMs } = answer
      log.info({ deliveryId: id, appId, endpointId, try: tries + 1, status, error, latencyMs, meaning }, 'webhook attempt')
    } catch (error) {
      // The delivery is due again when its lease ends.
      log.error({ deliveryId: id, appId, endpointId, err: error }, 'an attempt could not be made or recorded')
    } finally {
      if (delivery.isSuspect) suspects -= 1
    }
  }

  // While the database is away no lease can be renewed. A delivery that is under way may then be posted twice, but none is lost.
  const renewing = setInterval(() => {
    if (onTheWay.size > 0)
      renewLeases(db, [...onTheWay.keys()]).catch((error: unknown) =>
        log.warn({ err: error }, 'the leases of deliveries could not be renewed'),
      )
  }, renewEveryMs)

  return {
    async deliverDue() {
      const room = postsAtOnce - onTheWay.size
      if (room <= 0) return { took: 0 }
      const askedAt = performance.now()
      for (const [id, until] of restUntil) if (until <= askedAt) restUntil.delete(id)
      const most = { deliveries: room, suspects: Math.max(0, suspectsAtOnce - suspects), resting: [...restUntil.keys()] }
      const taken = await take(most)
      if (performance.now() - askedAt > startWithinMs) {
        await giveBack(db, taken)
        return { took: 0 }
      }
      const bodies = await readBodiesOf(taken)
      for (const delivery of taken) {
        const events = bodies.get(delivery.bodyId)
        // The body was erased or deleted after the delivery was taken, which ended the delivery too.
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
      await Promise.race([Promise.allSettled(onTheWay.values()), sleep(finishWithinMs, undefined, { ref: false })])
      clearInterval(renewing)
    },
  }
}

/** What came of an attempt whose process died: the post was perhaps made, and nobody has read a response. */
const lostAttempt: PostAnswer = { status: null, error: 'network_error', latencyMs: 0, retryAfterMs: null }

/** Gives the events of taken deliveries by the body's id. A body is read once, however many endpoints it goes to. */
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

/** Gives the secret that was taken with a delivery or a newer one, or the error of a sealed secret that this process cannot open. */
function secretOf({ sealer, secrets }: Webhooks, { endpointId, appId, secretVersion, sealedSecret }: TakenDelivery): Secret | Error {
  const known = secrets.known(endpointId, secretVersion)
  if (known) return known
  try {
    return { version: secretVersion, secret: sealer.open(sealedSecret, secretContext(appId, endpointId)).toString() }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Posts a delivery. It is signed when the connection is open, with the newest secret that the process knows: the delivery's or a newer one. */
function post({ post: send, secrets }: Webhooks, { endpointId, url }: TakenDelivery, carried: Secret, body: Buffer) {
  secrets.remember(endpointId, carried)
  return send(url, body, () => ({ [webhookSignatureHeader]: signWebhook(secrets.toSignWith(endpointId, carried), body, new Date()) }))
}
