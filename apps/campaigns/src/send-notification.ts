import { findSegment } from '@herald/contracts/calls/audience'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { fault, unknownId } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { SendNotification } from '@herald/contracts/notification'
import { parseSegment } from '@herald/contracts/segment'
import type { Target } from '@herald/contracts/target'
import { acceptedId, findReplay } from './accept-campaigns.ts'
import type { Campaigns, Idempotency } from './campaigns.ts'
import type { ResolvedSend } from './core/overrides.ts'
import { refuseTooLarge, resolveFields } from './resolve-fields.ts'

export type SendRequest = { appId: string; idempotency: Idempotency | null; notification: SendNotification }
export type SendAnswer = { id: string; status: 'sending'; replayed: boolean }

/** What accepting a notification, a test or a draft needs. */
export type Accepting = Pick<Campaigns, 'db' | 'bus' | 'accept' | 'idempotencyHours' | 'defaultTtlSeconds'>
/** What checking a body and filling in its defaults needs. */
export type Resolving = Pick<Campaigns, 'db' | 'bus' | 'defaultTtlSeconds'>

/** The name of every notification's campaign (spec: sending/accept). */
export const notificationName = 'notification'

/**
 * Accepts a notification that the gateway has checked, in a fixed order (spec: sending/accept-order): a replay gets the same answer, a refusal uses
 * up no key. Faults: not_found, invalid_segment, invalid_body, idempotency_key_reused, idempotency_in_progress.
 */
export async function sendNotification(accepting: Accepting, { appId, idempotency, notification }: SendRequest): Promise<SendAnswer> {
  const { templateId, target, category } = notification

  // A request without a template, a saved segment and a category need not read the record here: the transaction reads it anyway.
  const looksUp = templateId !== undefined || target.segmentId !== undefined || category !== undefined
  const replay = looksUp ? await findReplay(accepting, appId, idempotency) : undefined
  if (replay) return { ...acceptedId(replay), status: 'sending' }

  const resolved = await resolveNotification(accepting, appId, notification)

  const accepted = await accepting.accept({
    campaign: {
      id: newId(),
      appId,
      name: notificationName,
      status: 'sending',
      transactional: true,
      target: resolved.target,
      templateId: templateId ?? null,
      segmentId: target.segmentId ?? null,
      schedule: null,
      experiment: null,
      send: resolved.send,
    },
    idempotency,
  })
  return { ...acceptedId(accepted), status: 'sending' }
}

/** Gives a notification as it is sent, with copies of its template and its saved segment. Faults: not_found, invalid_segment, invalid_body. */
export async function resolveNotification(
  resolving: Resolving,
  appId: string,
  notification: SendNotification,
): Promise<{ send: ResolvedSend; target: FrozenTarget }> {
  const send = await resolveFields(resolving, appId, notification)
  const target = await freezeTarget(resolving.bus, appId, notification.target)
  refuseTooLarge(send)
  return { send, target }
}

/** Gives the target of a send. A saved segment is copied, so changing the segment later changes no send under way. */
export async function freezeTarget(bus: Campaigns['bus'], appId: string, target: Target): Promise<FrozenTarget> {
  if (target.externalIds) return { kind: 'externalIds', externalIds: target.externalIds }
  if (target.userIds) return { kind: 'userIds', userIds: target.userIds }
  if (target.subscriptionIds) return { kind: 'subscriptionIds', subscriptionIds: target.subscriptionIds }
  if (target.segment) return { kind: 'segment', segment: target.segment }
  if (target.segmentId === undefined) return { kind: 'all' }
  return copySegment(bus, appId, target.segmentId, 'target.segmentId')
}

/** Copies the definition of a saved segment, which the request names at `path`. Faults: not_found at `path`; invalid_segment when the definition is no longer valid. */
export async function copySegment(bus: Campaigns['bus'], appId: string, segmentId: string, path = 'segmentId'): Promise<FrozenTarget> {
  const found = await bus.call(findSegment, { appId, segmentId })
  if (!found) throw unknownId(path)
  const parsed = parseSegment(found.definition, 'segment')
  if (!parsed.ok) {
    const { path, message } = parsed
    throw fault('invalid_segment', `The saved segment does not compile any more: ${path} ${message}`, [{ path, message }])
  }
  return { kind: 'segment', segment: found.definition }
}
