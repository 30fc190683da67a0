import { randomBytes } from 'node:crypto'
import { hintOf, randomSecret } from '@herald/auth/secret'
import { signWebhook, webhookSignatureHeader } from '@herald/auth/webhook-signature'
import { fault, invalidField } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { listed, readCursor, type Listed } from '@herald/contracts/page'
import type { CreateWebhook, PatchWebhook, Webhook, WebhookEvent } from '@herald/contracts/webhook'
import { transact } from '@herald/service/postgres'
import { bodyOf, eventsJson, newDeliveryId } from './core/batch.ts'
import { secretContext } from './secrets.ts'
import {
  countEndpoints,
  findEndpoints,
  getEndpoint,
  getSealedSecret,
  insertEndpoint,
  markDeleted,
  replaceSecret,
  updateEndpoint,
} from './store/endpoints.ts'
import { noteListeners } from './store/listened-apps.ts'
import { tellListeners } from './tell-listeners.ts'
import type { Webhooks } from './webhooks.ts'

type At = { appId: string; webhookId: string }

/** An app has at most this many endpoints. Their number is limited, because each event is posted to every endpoint that asks for it. */
const mostEndpoints = 50

/**
 * Makes an endpoint. Its secret is shown this once. Answers when tracker and audience know what it asks for, so it misses no later event. Faults:
 * invalid_body at `url`, limit_reached, queue_unavailable (no answer; the endpoint is deleted again).
 */
export async function createWebhook(
  { db, bus, sealer, checkUrl }: Pick<Webhooks, 'db' | 'bus' | 'sealer' | 'checkUrl'>,
  { appId, webhook }: { appId: string; webhook: CreateWebhook },
): Promise<Webhook & { secret: string }> {
  await refuseBadUrl(checkUrl, webhook.url)
  const id = newId()
  const secret = randomSecret('whsec_')
  const shown = await transact(db, async (trx) => {
    if ((await countEndpoints(trx, appId)) >= mostEndpoints) throw fault('limit_reached', `An app has at most ${mostEndpoints} webhooks.`)
    await insertEndpoint(trx, {
      id,
      appId,
      sealedSecret: sealer.seal(secret, secretContext(appId, id)),
      secretHint: hintOf(secret),
      ...webhook,
    })
    await noteListeners(trx, appId)
    return getEndpoint(trx, { appId, webhookId: id })
  })
  try {
    await tellListeners({ db, bus }, [appId])
  } catch (error) {
    // The caller never got the secret, so the endpoint is of no use.
    await markDeleted(db, { appId, webhookId: id })
    throw error
  }
  return { ...shown, secret }
}

/** Lists an app's endpoints by pages, newest first. Fault: invalid_body at `cursor`. */
export async function listWebhooks(
  { db }: Pick<Webhooks, 'db'>,
  { appId, limit, cursor }: { appId: string; limit: number; cursor?: string | undefined },
): Promise<Listed<Webhook>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  return listed(await findEndpoints(db, { appId, limit, after }), limit, ({ webhook }) => webhook)
}

/** Fault: not_found. */
export const readWebhook = ({ db }: Pick<Webhooks, 'db'>, at: At): Promise<Webhook> => getEndpoint(db, at)

/** Switches an endpoint on and clears its failures. Faults: not_found; queue_unavailable as for changeWebhook. */
export const enableWebhook = (webhooks: Pick<Webhooks, 'db' | 'bus' | 'checkUrl'>, at: At): Promise<Webhook> =>
  changeWebhook(webhooks, { ...at, changes: { enabled: true } })

/**
 * Changes an endpoint. When it may then get more events, the answer comes once tracker and audience know. Faults: not_found; invalid_body at `url`;
 * queue_unavailable when one has not answered, though the change is made.
 */
export async function changeWebhook(
  { db, bus, checkUrl }: Pick<Webhooks, 'db' | 'bus' | 'checkUrl'>,
  { appId, webhookId, changes }: At & { changes: PatchWebhook },
): Promise<Webhook> {
  await getEndpoint(db, { appId, webhookId })
  if (changes.url !== undefined) await refuseBadUrl(checkUrl, changes.url)
  const { enabled, eventTypes } = changes
  await transact(db, async (trx) => {
    await updateEndpoint(trx, { appId, webhookId }, changes)
    if (enabled !== undefined || eventTypes !== undefined) await noteListeners(trx, appId)
  })
  if (enabled === true || (eventTypes !== undefined && enabled === undefined)) await tellListeners({ db, bus }, [appId])
  return getEndpoint(db, { appId, webhookId })
}

export async function deleteWebhook({ db }: Pick<Webhooks, 'db'>, at: At): Promise<Record<string, never>> {
  await transact(db, async (trx) => {
    await markDeleted(trx, at)
    await noteListeners(trx, at.appId)
  })
  return {}
}

/**
 * Makes a new secret for an endpoint, and shows it this once. This process signs with it from then on; another process does so for each delivery that
 * it takes later. Fault: not_found.
 */
export async function rotateSecret(
  { db, sealer, secrets }: Pick<Webhooks, 'db' | 'sealer' | 'secrets'>,
  { appId, webhookId }: At,
): Promise<{ secret: string }> {
  const secret = randomSecret('whsec_')
  const sealedSecret = sealer.seal(secret, secretContext(appId, webhookId))
  const version = await replaceSecret(db, { appId, webhookId }, { sealedSecret, secretHint: hintOf(secret) })
  secrets.remember(webhookId, { version, secret })
  return { secret }
}

/** A process runs at most this many tests of endpoints at once, so that they are of little use for probing other hosts. */
const mostTests = 8
let testsRunning = 0

/** Posts a signed body with one `ping` event and gives the receiver's answer (spec: webhooks/test). Nothing is stored. */
export async function testWebhook(
  { db, sealer, post }: Pick<Webhooks, 'db' | 'sealer' | 'post'>,
  { appId, webhookId }: At,
): Promise<{ status: number | null; error: string | null }> {
  const { url, sealedSecret } = await getSealedSecret(db, { appId, webhookId })
  if (testsRunning >= mostTests) throw fault('rate_limited', 'Too many tests at once. Try again in 10 seconds.')
  testsRunning += 1
  try {
    const secret = sealer.open(sealedSecret, secretContext(appId, webhookId)).toString()
    const ping: WebhookEvent = { id: `evt_${randomBytes(12).toString('hex')}`, type: 'ping', ts: new Date().toISOString(), appId }
    const body = bodyOf(newDeliveryId(), eventsJson([{ event: JSON.stringify(ping), userId: null }], {}))
    const { status, error } = await post(url, body, () => ({ [webhookSignatureHeader]: signWebhook(secret, body, new Date()) }))
    return { status, error }
  } finally {
    testsRunning -= 1
  }
}

async function refuseBadUrl(checkUrl: Webhooks['checkUrl'], url: string): Promise<void> {
  const problem = await checkUrl(url)
  if (problem !== undefined) throw invalidField('url', problem)
}
