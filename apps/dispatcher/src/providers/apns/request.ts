import { apnsCollapseId, apnsId } from '@herald/contracts/push-identity'
import { prepareHead, type HeadField, type PreparedHead } from '@herald/http2/client/head'
import type { Request } from '@herald/http2/client/stream'
import { answerLimitMs, type Push } from '../provider.ts'

/** The headers that pushes of an app have in common until the provider token changes, for each kind of push. */
export type ApnsHeads = Readonly<Record<'urgent' | 'normal' | 'background' | 'urgentActivity' | 'normalActivity', PreparedHead>>

/** Gives the `apns-topic` of a push (Apple: Starting and updating Live Activities with ActivityKit push notifications). */
export const topicOf = ({ isActivity }: Pick<Push, 'isActivity'>, bundleId: string): string =>
  isActivity ? `${bundleId}.push-type.liveactivity` : bundleId

/** Makes the common headers for each kind of push. A background push must have priority 5. */
export function makeHeads(authority: string, bundleId: string, token: string): ApnsHeads {
  const head = (pushType: 'alert' | 'background' | 'liveactivity', priority: '5' | '10'): PreparedHead =>
    prepareHead({
      authority,
      fields: [
        ['authorization', `bearer ${token}`],
        ['apns-topic', topicOf(pushType === 'liveactivity' ? { isActivity: true } : {}, bundleId)],
        ['apns-push-type', pushType],
        ['apns-priority', priority],
      ],
    })
  return {
    urgent: head('alert', '10'),
    normal: head('alert', '5'),
    background: head('background', '5'),
    urgentActivity: head('liveactivity', '10'),
    normalActivity: head('liveactivity', '5'),
  }
}

/** Makes the request of a push. Expiration 0 means that APNs delivers the push now or never. */
export function make(push: Push, heads: ApnsHeads): Request {
  const id = apnsId(push.msgId)
  const more: HeadField[] = [['apns-id', id], expirationOf(push)]
  const collapseId = collapseIdOf(push, id)
  if (collapseId !== null) more.push(['apns-collapse-id', collapseId])
  return { head: headOf(push, heads), path: `/3/device/${push.address}`, more, body: push.body, timeoutMs: answerLimitMs }
}

function headOf({ isActivity, silent, priority }: Push, heads: ApnsHeads): PreparedHead {
  if (isActivity) return priority === 'normal' ? heads.normalActivity : heads.urgentActivity
  if (silent) return heads.background
  return priority === 'normal' ? heads.normal : heads.urgent
}

/**
 * Gives the `apns-collapse-id`, which identifies the notification for iOS; null for none. An alert without a collapseId gets its `apns-id`, a recall
 * that of the first push: the later replaces the earlier (spec: sending/push-identity, recall/identity). Cost: 55 bytes, 0.3 µs.
 */
export function collapseIdOf({ collapseId, recalled, silent, isActivity }: Push, id: string): string | null {
  if (collapseId !== null) return apnsCollapseId(collapseId)
  if (recalled !== undefined) return apnsId(recalled)
  return silent || isActivity ? null : id
}

/** The `apns-expiration` field that was made last. The pushes of a batch expire together, so nearly every push can use it again. */
let expiration: { seconds: number; field: HeadField } = { seconds: 0, field: ['apns-expiration', '0'] }

function expirationOf({ ttlSeconds, expiresAtSeconds }: Push): HeadField {
  const seconds = ttlSeconds === 0 ? 0 : expiresAtSeconds
  if (expiration.seconds !== seconds) expiration = { seconds, field: ['apns-expiration', String(seconds)] }
  return expiration.field
}
