import { hash } from 'node:crypto'
import { isObjectId } from '@herald/contracts/ids'
import { platforms, type Platform } from '@herald/contracts/platform'
import { equalDigests, hmacSha256, prepareHmacKey, type HmacKey } from './hmac.ts'

/** The push that a msgId names. `variant` is empty without an experiment. */
export type MessageIdParts = {
  appId: string
  campaignId: string
  userId: string
  subscriptionId: string
  platform: Platform
  variant: string
}

/**
 * The longest msgId, in characters. It is base64url, a dot and 22 characters of signature. The base64url has 187 characters, because it encodes at
 * most 140 bytes: four ids, the longest platform, a variant of 32 characters and five bars.
 */
const maxLength = 187 + 1 + 22
const form = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{22})$/
const signatureBytes = 16
const variantForm = /^[A-Za-z0-9_-]{0,32}$/

/**
 * Makes the msgId of a push (spec: tracking/message-id): base64url of `appId|campaignId|userId|subscriptionId|platform|variant`, a dot, and the
 * first 16 bytes of the HMAC-SHA256 of that base64url text. The parts are not checked here, because they were checked when they entered Herald.
 */
export const mintMessageId = (secret: string, { userId, subscriptionId, variant, ...common }: MessageIdParts): string =>
  openMessageIds(secret, common)(userId, subscriptionId, variant)

/**
 * Gives a function that makes the msgIds of a campaign's pushes on one platform. What the ids have in common is encoded once, so that an id takes 1.9
 * µs instead of 4.3 µs.
 */
export function openMessageIds(
  secret: string,
  { appId, campaignId, platform }: Pick<MessageIdParts, 'appId' | 'campaignId' | 'platform'>,
): (userId: string, subscriptionId: string, variant: string) => string {
  const { inner, outer } = keyOf(secret)
  const common = `${appId}|${campaignId}|`
  // Three bytes are four characters of base64. So `head` encodes only whole groups of three; the remaining bytes (`rest`) are encoded with each id.
  const whole = common.length - (common.length % 3)
  const rest = common.slice(whole)
  const head = Buffer.from(common.slice(0, whole)).toString('base64url')
  const inside = Buffer.concat([inner, Buffer.from(head), Buffer.alloc(maxLength)])
  const outside = Buffer.concat([outer, Buffer.alloc(digestBytes)])
  const from = inner.length + head.length
  const text = Buffer.alloc(maxLength)
  return (userId, subscriptionId, variant) => {
    const parts = `${rest}${userId}|${subscriptionId}|${platform}|${variant}`
    if (parts.length > maxLength) throw new TypeError('a part of a msgId is too long')
    // Ids, platforms and variants are ASCII, so latin1 writes them right. All ids are written into one buffer, because a new buffer for each push
    // would cost as much as the hash.
    const own = text.toString('base64url', 0, text.write(parts, 'latin1'))
    if (head.length + own.length > maxLength) throw new TypeError('a part of a msgId is too long')
    inside.write(own, from, 'latin1')
    outside.write(hash('sha256', inside.subarray(0, from + own.length), 'binary'), outer.length, 'latin1')
    return `${head}${own}.${firstBytesOf(hash('sha256', outside, 'base64url'))}`
  }
}

const digestBytes = 32
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/**
 * For each character of base64url, what replaces it at the 22nd and last place of a signature. The 16 bytes end after that character's first two
 * bits, so its other four bits are set to 0.
 */
const lastCharacters: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(alphabet, (character, value) => [character, alphabet[value & 0b110000] ?? '']),
)
/** Gives the base64url of a digest's first 16 bytes, made from the base64url of the whole digest. */
const firstBytesOf = (digest: string): string => `${digest.slice(0, 21)}${lastCharacters[digest.charAt(21)]}`

/**
 * Gives the parts of a msgId that was signed with any of the secrets; undefined for any other text. Only canonical base64url is accepted. Every
 * secret is tried, even after one has matched, and the comparison takes constant time.
 */
export function verifyMessageId(secrets: readonly string[], text: string): MessageIdParts | undefined {
  if (text.length > maxLength) return undefined
  const [, body = '', signature = ''] = form.exec(text) ?? []
  const given = Buffer.from(signature, 'base64url')
  if (body === '' || given.toString('base64url') !== signature) return undefined
  let signed = false
  for (const secret of secrets) signed = equalDigests(signatureOf(keyOf(secret), body), given) || signed
  return signed ? parseParts(body) : undefined
}

function parseParts(body: string): MessageIdParts | undefined {
  const bytes = Buffer.from(body, 'base64url')
  if (bytes.toString('base64url') !== body) return undefined
  const parts = bytes.toString('latin1').split('|')
  const [appId = '', campaignId = '', userId = '', subscriptionId = '', name, variant = ''] = parts
  const platform = platforms.find((known) => known === name)
  if (parts.length !== 6 || platform === undefined || !variantForm.test(variant)) return undefined
  return [appId, campaignId, userId, subscriptionId].every(isObjectId)
    ? { appId, campaignId, userId, subscriptionId, platform, variant }
    : undefined
}

const signatureOf = (key: HmacKey, body: string): Buffer => hmacSha256(key, body).subarray(0, signatureBytes)

/** The prepared keys of up to 16 secrets. A process has one current secret and perhaps a few previous ones. */
const keys = new Map<string, HmacKey>()

function keyOf(secret: string): HmacKey {
  const known = keys.get(secret)
  if (known !== undefined) return known
  if (keys.size >= 16) keys.clear()
  const key = prepareHmacKey(secret)
  keys.set(secret, key)
  return key
}
