import type { FrozenSend } from './batch.ts'
import type { LocaleEntry } from './content.ts'
import type { LiveActivity } from './live-activity.ts'
import { mergePatch } from './merge-patch.ts'
import { apnsCollapseId, apnsId, pushTag } from './push-identity.ts'
import type { Presentation } from './send-fields.ts'

/** The fields of a send that its payloads depend on. */
export type PushSend = Pick<
  FrozenSend,
  'campaignId' | 'silent' | 'data' | 'collapseId' | 'priority' | 'presentation' | 'overrides' | 'category' | 'recall' | 'activity'
>

/**
 * One rendered push. `entry` is the text in the user's language with its placeholders filled in; null when there is nothing to show. `recalled`: in a
 * recall, the msgId of the device's first push.
 */
export type Push = { msgId: string; recalled?: string | undefined; entry: LocaleEntry | null; send: PushSend }

/** Gives the `tag` of a push on Android and the web: that of the first push in a recall (spec: recall/identity). */
const tagOf = ({ msgId, recalled = msgId, send }: Push): string => send.collapseId ?? pushTag(recalled)

const shownBy = ({ entry, send }: Push): LocaleEntry | null => (send.silent ? null : entry)

/** Gives the category that the payload names: one that the person can leave, so that an app may offer it (spec: categories/payload). */
const leavable = ({ category }: PushSend): string | undefined => (category && !category.locked ? category.id : undefined)

/** Gives the caller's data with Herald's key for the category, where there is one to name. */
function dataOf(send: PushSend): Record<string, string> {
  const heraldCategory = leavable(send)
  return heraldCategory === undefined ? send.data : { ...send.data, heraldCategory }
}

/**
 * Merges a platform's overrides into what Herald made. `except`: the key of what shows something. A silent push does not take it, since it would be
 * an alert then (Apple: Pushing background updates to your App).
 */
function withOverrides<Made extends object>(
  made: Made,
  overrides: Record<string, unknown> | undefined,
  except?: 'aps' | 'notification',
): Made {
  if (overrides === undefined) return made
  const taken = { ...overrides }
  if (except !== undefined) delete taken[except]
  return mergePatch(made, taken) as Made
}

/** The value of `presentation.sound` that means no sound. */
const noSound = 'none'

/**
 * Gives `aps.sound`. An alert without it is mute (Apple: Generating a remote notification; zulip#10286), so an alert that is not passive gets iOS's
 * own sound. A critical alert sounds when the device is mute, if the app has the entitlement.
 */
function iosSound({ sound, interruptionLevel }: Presentation): string | { critical: 1; name: string; volume: 1 } | undefined {
  if (sound === noSound) return undefined
  if (interruptionLevel === 'critical') return { critical: 1, name: sound ?? 'default', volume: 1 }
  return sound ?? (interruptionLevel === 'passive' ? undefined : 'default')
}

// JSON leaves out a field that is undefined. So the functions below also name fields that have no value.

/**
 * Builds the JSON of an APNs notification: the caller's data beside `aps`, Herald's fields under `herald` (spec: sending/ios-payload). An alert is
 * always `mutable-content`, so that the app's extension can report delivery and load the image.
 */
export function buildApnsPayload(push: Push): Record<string, unknown> {
  const entry = shownBy(push)
  const { data, presentation, overrides, activity } = push.send
  if (activity) return buildActivityPayload(activity, entry)
  if (entry === null) {
    const herald = { msgId: push.msgId, category: leavable(push.send), dismiss: dismissedBy(push) }
    return withOverrides({ ...data, aps: { 'content-available': 1 }, herald }, overrides?.ios, 'aps')
  }
  const aps = {
    alert: { title: entry.title, body: entry.body },
    'mutable-content': 1,
    sound: iosSound(presentation ?? {}),
    badge: presentation?.badge,
    'thread-id': presentation?.threadId,
    'interruption-level': presentation?.interruptionLevel,
    'relevance-score': presentation?.relevanceScore,
  }
  const herald = { msgId: push.msgId, url: entry.url, image: entry.image, actions: nonEmpty(entry.actions), category: leavable(push.send) }
  return withOverrides({ ...data, aps, herald }, overrides?.ios)
}

const secondsOf = (instant: string | undefined): number | undefined =>
  instant === undefined ? undefined : Math.floor(Date.parse(instant) / 1000)

/**
 * Builds the JSON for a Live Activity (spec: activities/payload). It names no msgId: iOS shows the app nothing of it that the app could report.
 * `input-push-token` asks iOS for the new activity's own token.
 */
export function buildActivityPayload(activity: LiveActivity, alert: LocaleEntry | null): Record<string, unknown> {
  const { event, timestamp, contentState, attributesType, attributes, staleAt, dismissAt, relevanceScore } = activity
  const aps = {
    timestamp,
    event,
    'content-state': contentState,
    ...(event === 'start' ? { 'attributes-type': attributesType, attributes, 'input-push-token': 1 } : {}),
    alert: alert === null ? undefined : { title: alert.title, body: alert.body, sound: 'default' },
    'stale-date': secondsOf(staleAt),
    'dismissal-date': secondsOf(dismissAt),
    'relevance-score': relevanceScore,
  }
  return { aps }
}

/**
 * Gives the notification that a dismissal asks iOS to remove: its identifier is the `apns-collapse-id` of the first push. Undefined for any other push.
 */
const dismissedBy = ({ msgId, recalled = msgId, send: { recall, collapseId } }: Push): string | undefined =>
  recall?.mode !== 'dismiss' ? undefined : collapseId === null ? apnsId(recalled) : apnsCollapseId(collapseId)

const nonEmpty = <T>(list: T[] | undefined): T[] | undefined => (list === undefined || list.length === 0 ? undefined : list)

const androidPriority: Record<NonNullable<Presentation['interruptionLevel']>, string> = {
  passive: 'PRIORITY_LOW',
  active: 'PRIORITY_DEFAULT',
  'time-sensitive': 'PRIORITY_HIGH',
  critical: 'PRIORITY_MAX',
}

/** The address of a phone in FCM's message: a registration token, or the id of a Firebase installation. */
export type FcmAddress = { token: string; fid?: never } | { fid: string; token?: never }

/**
 * Says which of the two an address is. An installation's id has 22 characters of base64url (firebase-js-sdk, `VALID_FID_PATTERN`) and is FCM's
 * `message.fid` (reference of FCM v1, `Message`). A registration token is longer and has a colon.
 */
export const fcmAddress = (address: string): FcmAddress => (/^[A-Za-z0-9_-]{22}$/.test(address) ? { fid: address } : { token: address })

export type FcmMessage = {
  message: FcmAddress & {
    notification?: { title: string; body: string; image: string | undefined }
    data: Record<string, string>
    android: Record<string, unknown>
  }
}

/**
 * Builds the body of FCM v1 `messages:send`. Each send has a collapse key of its own: without one all notifications of an app share one, and a phone
 * that was off gets only the last (Firebase: Non-collapsible and collapsible messages).
 */
export function buildFcmMessage(push: Push, address: string, ttlSeconds: number): FcmMessage {
  const entry = shownBy(push)
  const { campaignId, presentation, overrides, collapseId, priority, recall } = push.send
  const data = dataOf(push.send)
  const collapseKey = collapseId ?? recall?.of ?? (entry === null ? undefined : campaignId)
  const delivery = { priority, ttl: `${ttlSeconds}s`, collapse_key: collapseKey }
  if (entry === null) {
    return {
      message: {
        ...fcmAddress(address),
        data: { ...data, ...(recall?.mode === 'dismiss' ? { heraldDismiss: tagOf(push) } : {}), msgId: push.msgId },
        android: withOverrides(delivery, overrides?.android, 'notification'),
      },
    }
  }
  const ours: Record<string, string> = {}
  if (entry.url !== undefined) ours['url'] = entry.url
  if (nonEmpty(entry.actions) !== undefined) ours['actions'] = JSON.stringify(entry.actions)
  const { interruptionLevel } = presentation ?? {}
  const notification = {
    tag: tagOf(push),
    channel_id: presentation?.channelId,
    // A word that names no sound of the app would play the phone's own (firebase-messaging: CommonNotificationBuilder).
    sound: presentation?.sound === noSound ? undefined : presentation?.sound,
    icon: presentation?.icon,
    // FCM's reference: 0 counts as not given, and the launcher then counts up.
    notification_count: presentation?.badge === 0 ? undefined : presentation?.badge,
    notification_priority: interruptionLevel === undefined ? undefined : androidPriority[interruptionLevel],
  }
  return {
    message: {
      ...fcmAddress(address),
      notification: { title: entry.title, body: entry.body, image: entry.image },
      data: { ...ours, ...data, msgId: push.msgId },
      android: withOverrides({ ...delivery, notification }, overrides?.android),
    },
  }
}

/**
 * Builds the plaintext of a web push, which Herald's service worker reads. Browsers are never sent silent pushes; the plaintext of one would have an
 * empty title and body.
 */
export function buildWebPushPayload(push: Push): Record<string, unknown> {
  const entry = shownBy(push)
  const { presentation, overrides } = push.send
  const made = {
    title: entry?.title ?? '',
    body: entry?.body ?? '',
    url: entry?.url,
    image: entry?.image,
    icon: presentation?.icon,
    actions: nonEmpty(entry?.actions),
    tag: tagOf(push),
    silent: presentation?.sound === noSound ? true : undefined,
    appBadge: presentation?.badge,
    data: { ...dataOf(push.send), msgId: push.msgId },
  }
  return withOverrides(made, overrides?.web)
}
