import { activityHours, type SendLiveActivity } from '@herald/contracts/live-activity'
import { newId } from '@herald/contracts/ids'
import { checkActivityFits } from '@herald/contracts/payload'
import { acceptedId, findReplay } from './accept-campaigns.ts'
import type { Idempotency } from './campaigns.ts'
import { refuse } from './resolve-fields.ts'
import { freezeTarget, type Accepting, type SendAnswer } from './send-notification.ts'

/** A timestamp with as many digits as those of the next 200 years. */
const longestTimestamp = 9_999_999_999

export type ActivityRequest = { appId: string; idempotency: Idempotency | null; activity: SendLiveActivity }

/**
 * Accepts a send to a Live Activity in the order of a notification. Update and end go to everybody who has the activity (spec: activities/reach).
 * Faults: not_found, invalid_segment, invalid_body (too large), idempotency_key_reused, idempotency_in_progress.
 */
export async function sendLiveActivity(accepting: Accepting, { appId, idempotency, activity }: ActivityRequest): Promise<SendAnswer> {
  const { target, alert = null, priority, ttl, ...told } = activity
  const replay = target?.segmentId === undefined ? undefined : await findReplay(accepting, appId, idempotency)
  if (replay) return { ...acceptedId(replay), status: 'sending' }
  refuse(checkActivityFits({ ...told, timestamp: longestTimestamp }, alert))
  const accepted = await accepting.accept({
    campaign: {
      id: newId(),
      appId,
      name: 'live activity',
      status: 'sending',
      transactional: true,
      target: target ? await freezeTarget(accepting.bus, appId, target) : { kind: 'all' },
      templateId: null,
      segmentId: target?.segmentId ?? null,
      schedule: null,
      experiment: null,
      send: {
        content: alert,
        // Without an alert the push shows no text: it changes only what the activity shows.
        silent: alert === null,
        data: {},
        ttl: ttl ?? Math.min(accepting.defaultTtlSeconds, activityHours * 3_600),
        collapseId: null,
        priority: priority ?? (told.event === 'update' ? 'normal' : 'high'),
        presentation: null,
        overrides: null,
        perMinute: null,
        bypass: {},
        // The transaction that accepts the send sets the timestamp.
        activity: { ...told, timestamp: 0 },
      },
    },
    idempotency,
  })
  return { ...acceptedId(accepted), status: 'sending' }
}
