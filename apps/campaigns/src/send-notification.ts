import { findSegment } from '@herald/contracts/calls/audience'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { fault, invalidField, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { checkFits } from '@herald/contracts/payload'
import type { Target } from '@herald/contracts/target'
import type { Bus } from '@herald/service/bus'
import { answerOfRecord, type Acceptable, type Accepted } from './accept-notifications.ts'
import { resolveSend, type ResolvedSend } from './core/overrides.ts'
import { findRecords, keyName } from './store/idempotency-keys.ts'
import { findTemplateDefaults } from './store/templates.ts'
import type { Db } from './store/tables.ts'

export type SendRequest = {
  appId: string
  idempotency: { key: string; fingerprint: string } | null
  notification: SendNotification
}
export type SendAnswer = { id: string; status: 'sending'; replayed: boolean }

/**
 * Accepts a notification. The order is the one of decisions.md 9: the body was checked by the gateway, then the idempotency record,
 * then look-ups (so a replay answers the same whatever has changed since, and a 404 consumes no key), then what can only be checked with
 * the template's fields merged in, then the transaction.
 * Faults: not_found, invalid_body, idempotency_key_reused, idempotency_in_progress.
 */
export async function sendNotification(
  {
    db,
    bus,
    accept,
    idempotencyHours,
    defaultTtlSeconds,
  }: {
    db: Db
    bus: Pick<Bus, 'call'>
    accept: (item: Acceptable) => Promise<Accepted>
    idempotencyHours: number
    defaultTtlSeconds: number
  },
  { appId, idempotency, notification }: SendRequest,
): Promise<SendAnswer> {
  const { templateId, target } = notification

  // Without look-ups nothing can come between here and the transaction, which asks for the record anyway.
  if (idempotency && (templateId !== undefined || target.segmentId !== undefined)) {
    const key = { appId, key: idempotency.key }
    const record = (await findRecords(db, [key], idempotencyHours)).get(keyName(key))
    if (record) return answerOf(answerOfRecord(record, idempotency.fingerprint))
  }

  const template = templateId === undefined ? undefined : await findTemplateDefaults(db, appId, templateId)
  if (templateId !== undefined && !template) throw notFound()
  const frozenTarget = await freezeTarget(bus, appId, target)

  const send = resolveSend(notification, template, defaultTtlSeconds)
  refuseUnsendable(send)

  const made = { id: newId(), appId, target: frozenTarget, templateId: templateId ?? null, segmentId: target.segmentId ?? null, send }
  return answerOf(await accept({ notification: made, idempotency }))
}

function answerOf(accepted: Accepted): SendAnswer {
  if (accepted.kind === 'refused') throw accepted.fault
  return { id: accepted.id, status: 'sending', replayed: accepted.kind === 'replayed' }
}

/** Whom a send is for, as it is now: a saved segment is copied, so changing it later changes no send under way. */
async function freezeTarget(bus: Pick<Bus, 'call'>, appId: string, target: Target): Promise<FrozenTarget> {
  if (target.externalIds) return { kind: 'externalIds', externalIds: target.externalIds }
  if (target.userIds) return { kind: 'userIds', userIds: target.userIds }
  if (target.subscriptionIds) return { kind: 'subscriptionIds', subscriptionIds: target.subscriptionIds }
  if (target.segment) return { kind: 'segment', segment: target.segment }
  if (target.segmentId === undefined) return { kind: 'all' }
  const found = await bus.call(findSegment, { appId, segmentId: target.segmentId })
  if (!found) throw notFound()
  return { kind: 'segment', segment: found.definition }
}

/** What no device could get: nothing to show, or more than a platform takes even when cut (decisions.md 2). */
function refuseUnsendable(send: ResolvedSend): void {
  if (send.content === null && !send.silent) throw invalidField('content', 'is required unless templateId or silent: true is given')
  const tooLarge = checkFits(send)
  const [first] = tooLarge
  if (first) throw fault('invalid_body', `${first.path} ${first.message}`, tooLarge)
}
