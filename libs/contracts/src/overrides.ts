import { z } from 'zod'
import { isObject } from './merge-patch.ts'
import type { Platform } from './platform.ts'
import { exactSentence, isExact, isStorable } from './text.ts'

/** The overrides of a platform have at most this many bytes of UTF-8 JSON. */
export const maxOverrideBytes = 2048

type Fields = Record<string, unknown>
type Refuse = (path: string[], message: string) => void

/** Keys that no platform's overrides may have at these places: Herald fills them in, or they decide to whom and when a push goes. */
const ownedEverywhere = /^(?:herald|msgid|token|fid|topic|condition|ttl|priority|tag|apns-.*|.*collapse.*)$/i
/** Keys that Herald fills in on one platform, by the path of their object. A key of `alert` or `notification` shows a text in place of the content's. */
const owned: Record<Platform, Record<string, RegExp>> = {
  ios: { '': /^$/, aps: /^mutable-content$/, 'aps.alert': /^(?:title|body|(?:title-)?loc-(?:key|args))$/ },
  android: { '': /^data$/, notification: /^(?:title|body)(?:_loc_(?:key|args))?$/, fcm_options: /^$/ },
  web: { '': /^(?:title|body|url|data|actions|appBadge|web_push)$/ },
}

/** Refuses what a platform's overrides may not say. */
function check(platform: Platform, fields: Fields, refuse: Refuse): void {
  refuseUnsendable(fields, [], refuse)
  for (const [at, keys] of Object.entries(owned[platform])) {
    const path = at === '' ? [] : at.split('.')
    const object = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), fields)
    if (object === undefined) continue
    if (!isObject(object)) {
      refuse(path, 'must be an object of the fields that it shall get')
      continue
    }
    const mine = Object.keys(object).filter((key) => ownedEverywhere.test(key) || keys.test(key))
    // The rule about alert is one rule about one field, so its mistake stands at the field.
    if (at === 'aps.alert' && mine.length > 0) refuse(path, `may have subtitle, but not ${mine.join(', ')}: use content`)
    else for (const key of mine) refuse([...path, key], 'is a key that Herald fills in: use the field of the send, or choose another key')
  }
  const { aps } = fields
  if (platform === 'ios' && isObject(aps) && 'content-available' in aps && aps['content-available'] !== 1)
    refuse(['aps', 'content-available'], 'must be 1: overrides do not change whether a push is silent')
  const bytes = Buffer.byteLength(JSON.stringify(fields))
  if (bytes > maxOverrideBytes) refuse([], `must be at most ${maxOverrideBytes} bytes as JSON; it is ${bytes}`)
  if (platform === 'android') checkNames(fields, [], refuse)
}

/** Refuses what cannot be stored and sent as it is: NUL, half of a surrogate pair, and a number that may be rounded. */
export function refuseUnsendable(value: unknown, path: string[], refuse: Refuse): void {
  if (typeof value === 'string' && !isStorable(value)) refuse(path, 'must be well-formed text without NUL')
  if (typeof value === 'number' && !isExact(value)) refuse(path, exactSentence)
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) refuse([...path, key], 'must have a key of well-formed text without NUL')
    else refuseUnsendable(member, [...path, key], refuse)
  }
}

/** Refuses names in camel case. FCM takes `channelId` too, but not beside the `channel_id` that Herald writes, and then no phone gets the push. */
function checkNames(fields: Fields, path: string[], refuse: Refuse): void {
  for (const [key, value] of Object.entries(fields)) {
    const at = [...path, key]
    if (!/^[a-z0-9_]+$/.test(key)) refuse(at, 'must be written as in FCM’s REST reference, in lower case with _, such as channel_id')
    else if (isObject(value)) checkNames(value, at, refuse)
  }
}

const fieldsOf = (platform: Platform) =>
  z
    .record(z.string(), z.unknown())
    .superRefine((fields, context) => check(platform, fields, (path, message) => context.addIssue({ code: 'custom', message, path })))
    .optional()

/**
 * Fields that a send adds to what a provider gets of it: `ios` to the payload of APNs, `android` to FCM's `message.android`, `web` to the options of
 * the browser's notification (spec: sending/overrides, sending/overrides-owned).
 */
export const Overrides = z.strictObject({ ios: fieldsOf('ios'), android: fieldsOf('android'), web: fieldsOf('web') }).meta({
  description:
    'Fields that are merged last into what each provider gets: the payload of APNs, `message.android` of FCM, the options of a browser’s notification. At most 2,048 bytes of JSON each.',
})
export type Overrides = z.output<typeof Overrides>
