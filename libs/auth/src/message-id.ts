import { isObjectId } from '@herald/contracts/ids'
import { platforms, type Platform } from '@herald/contracts/platform'
import { equalDigests, hmacSha256, prepareHmacKey, type HmacKey } from './hmac.ts'

/** What a msgId says: which push it is. `variant` is empty without an experiment. */
export type MessageIdParts = {
  appId: string
  campaignId: string
  userId: string
  subscriptionId: string
  platform: Platform
  variant: string
}

/** Four ids, the longest platform, a variant of 32 characters and five bars are 140 bytes: 187 characters of base64url. */
const maxLength = 187 + 1 + 22
const form = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{22})$/
const signatureBytes = 16
const variantForm = /^[A-Za-z0-9_-]{0,32}$/

/**
 * The tracking id of a push (decisions.md 7): base64url of `appId|campaignId|userId|subscriptionId|platform|variant`, a dot, and the
 * first 16 bytes of the HMAC-SHA256 of that base64url text. The parts were checked at the door.
 */
export function mintMessageId(secret: string, parts: MessageIdParts): string {
  const { appId, campaignId, userId, subscriptionId, platform, variant } = parts
  const body = Buffer.from(`${appId}|${campaignId}|${userId}|${subscriptionId}|${platform}|${variant}`).toString('base64url')
  return `${body}.${signatureOf(keyOf(secret), body).toString('base64url')}`
}

/**
 * The parts of a msgId signed with any of the secrets, or undefined. Only the one canonical spelling counts. Every secret is tried whatever
 * the others said, and comparison is in constant time.
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

/** A process knows one secret and the few it replaced; they are made ready once. */
const keys = new Map<string, HmacKey>()

function keyOf(secret: string): HmacKey {
  const known = keys.get(secret)
  if (known !== undefined) return known
  if (keys.size >= 16) keys.clear()
  const key = prepareHmacKey(secret)
  keys.set(secret, key)
  return key
}
