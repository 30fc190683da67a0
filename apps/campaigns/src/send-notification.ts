import { findSegment } from '@herald/contracts/calls/audience'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { parseSegment } from '@herald/contracts/segment'
import type { Target } from '@herald/contracts/target'
import type { Bus } from '@herald/service/bus'
import { acceptedId, findReplay, type Acceptable, type Accepted, type Idempotency } from './accept-campaigns.ts'
import { refuseTooLarge, resolveFields } from './resolve-fields.ts'
import type { Db } from './store/tables.ts'

export type SendRequest = { appId: string; idempotency: Idempotency | null; notification: SendNotification }
export type SendAnswer = { id: string; status: 'sending'; replayed: boolean }

/** What accepting needs, for notifications and drafts alike. */
export type Accepting = {
  db: Db
  bus: Pick<Bus, 'call'>
  accept: (item: Acceptable) => Promise<Accepted>
  idempotencyHours: number
  defaultTtlSeconds: number
}

/** What a notification's campaign is called (spec: sending/accept). */
export const notificationName = 'notification'

/**
 * Accepts a notification. The order (spec: sending/accept-order): the body was checked by the gateway, then the idempotency record,
 * then look-ups (so a replay answers the same whatever has changed since, and a 404 consumes no key), then what can only be checked with
 * the template's fields merged in, then the transaction.
 * Faults: not_found, invalid_segment, invalid_body, idempotency_key_reused, idempotency_in_progress.
 */
export async function sendNotification(accepting: Accepting, { appId, idempotency, notification }: SendRequest): Promise<SendAnswer> {
  const { templateId, target } = notification

  // Without look-ups nothing can come between here and the transaction, which asks for the record anyway.
  const looksUp = templateId !== undefined || target.segmentId !== undefined
  const replay = looksUp ? await findReplay(accepting, appId, idempotency) : undefined
  if (replay) return { ...acceptedId(replay), status: 'sending' }

  const send = await resolveFields(accepting, appId, notification)
  const frozenTarget = await freezeTarget(accepting.bus, appId, target)
  refuseTooLarge(send)

  const accepted = await accepting.accept({
    campaign: {
      id: newId(),
      appId,
      name: notificationName,
      status: 'sending',
      transactional: true,
      target: frozenTarget,
      templateId: templateId ?? null,
      segmentId: target.segmentId ?? null,
      schedule: null,
      experiment: null,
      send,
    },
    idempotency,
  })
  return { ...acceptedId(accepted), status: 'sending' }
}

/** Whom a send is for, as it is now: a saved segment is copied, so changing it later changes no send under way. */
async function freezeTarget(bus: Pick<Bus, 'call'>, appId: string, target: Target): Promise<FrozenTarget> {
  if (target.externalIds) return { kind: 'externalIds', externalIds: target.externalIds }
  if (target.userIds) return { kind: 'userIds', userIds: target.userIds }
  if (target.subscriptionIds) return { kind: 'subscriptionIds', subscriptionIds: target.subscriptionIds }
  if (target.segment) return { kind: 'segment', segment: target.segment }
  if (target.segmentId === undefined) return { kind: 'all' }
  return copySegment(bus, appId, target.segmentId)
}

/** A saved segment's definition as it is now. Faults: not_found; invalid_segment when it no longer compiles. */
export async function copySegment(bus: Pick<Bus, 'call'>, appId: string, segmentId: string): Promise<FrozenTarget> {
  const found = await bus.call(findSegment, { appId, segmentId })
  if (!found) throw notFound()
  const parsed = parseSegment(found.definition, 'segment')
  if (!parsed.ok) {
    const { path, message } = parsed
    throw fault('invalid_segment', `The saved segment does not compile any more: ${path} ${message}`, [{ path, message }])
  }
  return { kind: 'segment', segment: found.definition }
}
