import { localesOf, type Content, type LocaleEntry } from './content.ts'
import type { FaultDetail } from './fault.ts'
import { graphemeBoundary, lengthOfGraphemes } from './grapheme.ts'
import { buildActivityPayload, buildApnsPayload, buildFcmMessage, buildWebPushPayload, fcmAddress, type Push } from './payload-shape.ts'
import { textWithoutTags } from './placeholder.ts'
import type { FrozenCategory } from './category.ts'
import type { LiveActivity } from './live-activity.ts'
import type { Overrides } from './overrides.ts'
import { perPlatform, platforms, type Platform } from './platform.ts'
import type { Presentation } from './send-fields.ts'
import { firstCodePoints } from './text.ts'

export * from './payload-shape.ts'
export * from './push-identity.ts'

/**
 * How many bytes of UTF-8 JSON a push may have: APNs' payload for iOS, FCM's message without the token for Android, and for the web the plaintext,
 * which becomes 4096 bytes when it is encrypted.
 */
export const payloadLimits: Record<Platform, number> = { ios: 4096, android: 4096, web: 3993 }

/**
 * How many bytes a browser behind a bridge takes, such as Firefox for Android, which answers 413 above it (mozilla-services/autopush#748;
 * web-push-php keeps to the same number).
 */
export const bridgedWebBytes = 2820

/** A device of each platform shows at most this many actions (spec: sending/dry-run-warnings). */
export const mostActions: Record<Platform, number> = { ios: 4, android: 3, web: 2 }

/** The body of a text is never cut to fewer graphemes than this, because a reader would not understand a shorter one. */
const leastGraphemes = 40

export type EncodedPush = { ok: true; body: string } | { ok: false; bytes: number; limit: number }

/**
 * Makes the request body of a push; cuts its text when over the limit (spec: content/cut-at-send). `address` (its bytes do not count) and
 * `ttlSeconds` are for FCM alone. `limit` is a device's lower one. Without `ok` the push fails.
 */
export function encodePush(
  platform: Platform,
  push: Push,
  address: string,
  ttlSeconds: number,
  limit = payloadLimits[platform],
): EncodedPush {
  const body = serialize(platform, push, address, ttlSeconds)
  const bytes = sizeOf(platform, body, address)
  if (bytes <= limit) return { ok: true, body }
  const shorter = push.entry === null || push.send.silent ? undefined : cutBody(push.entry.body, bytes - limit)
  if (push.entry === null || shorter === undefined) return { ok: false, bytes, limit }
  return { ok: true, body: serialize(platform, { ...push, entry: { ...push.entry, body: shorter } }, address, ttlSeconds) }
}

/** Makes the request body of a push, without cutting the body of its text. */
export function serialize(platform: Platform, push: Push, address: string, ttlSeconds: number): string {
  if (platform === 'android') return JSON.stringify(buildFcmMessage(push, address, ttlSeconds))
  return JSON.stringify(platform === 'ios' ? buildApnsPayload(push) : buildWebPushPayload(push))
}

/** Gives the bytes of a request body, as the platform's limit counts them. */
export const sizeOf = (platform: Platform, body: string, address: string): number =>
  Buffer.byteLength(body) - (platform === 'android' ? jsonBytes({ message: fcmAddress(address) }) : 0)

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/**
 * Shortens a body so that its JSON loses at least `excessBytes`: cuts at a grapheme boundary, leaves at least 40 graphemes and adds `…`. Undefined
 * when that does not save enough.
 */
export function cutBody(body: string, excessBytes: number): string | undefined {
  const least = lengthOfGraphemes(body, leastGraphemes)
  const room = jsonBytes(body) - excessBytes - Buffer.byteLength('…')
  if (least >= body.length || jsonBytes(body.slice(0, least)) > room) return undefined
  let fits = least
  let tooLong = body.length
  while (tooLong - fits > 1) {
    const middle = wholePair(body, (fits + tooLong) >> 1)
    if (middle <= fits) break
    if (jsonBytes(body.slice(0, middle)) <= room) fits = middle
    else tooLong = middle
  }
  return `${body.slice(0, Math.max(least, graphemeBoundary(body, fits)))}…`
}

/**
 * Moves a place that would split a surrogate pair to before the pair. A text that ends in half a pair would be measured wrong: half a pair takes 6
 * bytes of JSON, the complete pair only 4.
 */
const wholePair = (text: string, at: number): number => ((text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at)

/** The parts of a send that decide whether it fits, as known when the send is created. */
export type SendToMeasure = {
  content?: Content | null | undefined
  silent?: boolean | undefined
  data?: Record<string, string> | undefined
  collapseId?: string | null | undefined
  priority?: 'high' | 'normal' | undefined
  presentation?: Presentation | null | undefined
  overrides?: Overrides | null | undefined
  /** The category, or its id alone while it is not known whether it is locked. */
  category?: FrozenCategory | string | null | undefined
}

/**
 * Finds the locales whose smallest payload (`smallest`, with the shortest msgId) is over a platform's limit, as details at `content.<locale>`. Data
 * alone always fit, so of a silent send only overrides are checked.
 */
export function checkFits(send: SendToMeasure): FaultDetail[] {
  if (send.silent === true) return silentPlatforms.flatMap((platform) => checkSilent(platform, send))
  if (send.content === undefined || send.content === null) return []
  return localesOf(send.content).flatMap(([locale, entry]) =>
    platforms.flatMap((platform) => {
      const bytes = leastBytes(platform, smallest(entry), send)
      const limit = payloadLimits[platform]
      if (bytes <= limit) return []
      const message = `is too large for ${platform}: ${bytes} bytes even with empty placeholders and body cut to ${leastGraphemes} characters; the limit is ${limit}`
      return [{ path: `content.${locale}`, message }]
    }),
  )
}

/** The platforms that take silent pushes. */
const silentPlatforms = ['ios', 'android'] as const

function checkSilent(platform: 'ios' | 'android', send: SendToMeasure): FaultDetail[] {
  const limit = payloadLimits[platform]
  const bytes = send.overrides?.[platform] === undefined ? 0 : leastBytes(platform, null, send)
  return bytes <= limit
    ? []
    : [{ path: `overrides.${platform}`, message: `is too large beside data: ${bytes} bytes; the limit is ${limit}` }]
}

function leastBytes(
  platform: Platform,
  entry: LocaleEntry | null,
  { data, collapseId, priority, presentation, overrides, category }: SendToMeasure,
): number {
  const push: Push = {
    msgId: 'x'.repeat(leastMsgIdLength[platform]),
    entry,
    send: {
      campaignId: '0'.repeat(24),
      silent: entry === null,
      data: data ?? {},
      collapseId: collapseId ?? null,
      priority: priority ?? 'high',
      presentation: presentation ?? null,
      overrides: overrides ?? null,
      category: typeof category === 'string' ? { id: category, default: 'in', locked: false } : (category ?? null),
    },
  }
  return sizeOf(platform, serialize(platform, push, '', 0), '')
}

/**
 * Gives the length of a msgId. It is base64url of four ids of 24 characters, five bars, the platform's name and the variant's id, followed by a dot
 * and a signature of 22 characters.
 */
export const lengthOfMsgId = (platform: Platform, variant = ''): number =>
  Math.ceil(((4 * 24 + 5 + platform.length + variant.length) * 4) / 3) + 1 + 22
const leastMsgIdLength = perPlatform((platform) => lengthOfMsgId(platform))

/**
 * Gives the smallest form of an entry, in which every placeholder is empty: without addresses that have a placeholder and actions without a title,
 * and with the body cut to 40 characters when that saves bytes.
 */
function smallest(entry: LocaleEntry): LocaleEntry {
  const body = textWithoutTags(entry.body)
  const cut = `${firstCodePoints(body, leastGraphemes)}…`
  // `…` takes 3 bytes, so cutting off up to three letters of one byte saves nothing.
  const least: LocaleEntry = { title: textWithoutTags(entry.title), body: jsonBytes(cut) < jsonBytes(body) ? cut : body }
  if (isFixed(entry.url)) least.url = entry.url
  if (isFixed(entry.image)) least.image = entry.image
  const actions = (entry.actions ?? []).map(({ id, title, url }) => ({
    id,
    title: textWithoutTags(title),
    ...(isFixed(url) ? { url } : {}),
  }))
  least.actions = actions.filter((action) => action.title.trim() !== '')
  return least
}

/** Finds what does not fit into the push to a Live Activity, as `checkFits` does: the state alone, or with the smallest form of a locale. */
export function checkActivityFits(activity: LiveActivity, alert: Content | null): FaultDetail[] {
  const whyNot = (path: string, entry: LocaleEntry | null): FaultDetail[] => {
    const bytes = jsonBytes(buildActivityPayload(activity, entry))
    const limit = payloadLimits.ios
    return bytes <= limit ? [] : [{ path, message: `is too large: the push has ${bytes} bytes; the limit is ${limit}` }]
  }
  const stateAlone = whyNot('contentState', null)
  if (alert === null || stateAlone.length > 0) return stateAlone
  return localesOf(alert).flatMap(([locale, entry]) => whyNot(`alert.${locale}`, smallest(entry)))
}

const isFixed = (address: string | undefined): address is string => address !== undefined && !address.includes('{{')
