import { randomBytes } from 'node:crypto'
import { hintOf, randomSecret } from '@herald/auth/secret'
import { signWebhook, webhookSignatureHeader } from '@herald/auth/webhook-signature'
import { fault, invalidField } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { listed, readCursor, type Listed } from '@herald/contracts/page'
import type { CreateWebhook, PatchWebhook, Webhook, WebhookEvent } from '@herald/contracts/webhook'
import { transact } from '@herald/service/postgres'
import { bodyOf, eventsJson, newDeliveryId } from './core/batch.ts'
import { secretContext } from './core/seal-context.ts'
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

/** Every event of an app is posted once per endpoint that asks for it. */
const mostEndpoints = 50

/**
 * Makes an endpoint. Its secret is shown this once and stored sealed. It is answered when tracker and audience know that somebody listens, so
 * no event is missed that happens after the answer. Faults: invalid_body at `url`, limit_reached; queue_unavailable: one of them is away, and
 * the endpoint is not there.
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
    // Nobody knows its secret.
    await markDeleted(db, { appId, webhookId: id })
    throw error
  }
  return { ...shown, secret }
}

export async function listWebhooks(
  { db }: Pick<Webhooks, 'db'>,
  { appId, limit, cursor }: { appId: string; limit: number; cursor?: string | undefined },
): Promise<Listed<Webhook>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  return listed(await findEndpoints(db, { appId, limit, after }), limit, ({ webhook }) => webhook)
}

/**
 * Changes an endpoint. What makes it hear more is answered when tracker and audience know, as with a new one. Faults: not_found, invalid_body
 * at `url`; queue_unavailable: the change is made, and one of them has not heard of it yet.
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

/** Makes a new secret, shown this once; every signature made after this answer is by the new one. Fault: not_found. */
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

/** Tests of one process at once: the test must not become a tool to knock at doors. */
const mostTests = 8
let testsRunning = 0

/** Posts a signed batch of one `ping` and answers what the receiver said (spec: webhooks/test). Nothing of it is kept. */
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
    const body = bodyOf(newDeliveryId(), eventsJson([{ event: JSON.stringify(ping), user_id: null }], {}))
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
