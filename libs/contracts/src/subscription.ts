import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { Country, ExternalId, LanguageTag, line, TagChanges, Tags, text, TimeZone } from './text.ts'

/** A device token. Providers give out printable ASCII; any other text is a mistake of the client. */
const Token = z
  .string()
  .refine(
    (token) => token.length >= 1 && token.length <= 4096 && !/[^\u0021-\u007e]/.test(token),
    'must be 1 to 4096 printable ASCII characters without spaces',
  )
  .meta({ minLength: 1, maxLength: 4096 })

/**
 * A push service's URL for one browser: https, without credentials (spec: identity/endpoint-form). The gateway checks its host against the allowed
 * hosts (`endpointProblem`). The addresses of the host are checked when Herald connects (spec: providers/endpoint-guard).
 */
const Endpoint = z
  .string()
  .refine(isEndpoint, 'must be an https URL of at most 2048 characters, without a user name')
  .meta({ format: 'uri', maxLength: 2048 })

function isEndpoint(value: string): boolean {
  if (value.length > 2048 || /[^\u0021-\u007e]/.test(value) || !/^https:\/\/[^/?#]/i.test(value) || !URL.canParse(value)) return false
  const { username, password, hostname } = new URL(value)
  return username === '' && password === '' && hostname !== ''
}

/** Reads the bytes of base64url text in its canonical spelling, with or without padding. Undefined for any other text. */
export function decodeBase64Url(value: string): Buffer | undefined {
  const bare = value.replace(/={1,2}$/, '')
  const bytes = Buffer.from(bare, 'base64url')
  return bytes.toString('base64url') === bare ? bytes : undefined
}

/** Whether these bytes are an uncompressed point on P-256. With other bytes every encryption for the device would fail. */
export function isP256Point(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false
  try {
    ECDH.convertKey(bytes, 'prime256v1')
    return true
  } catch {
    return false
  }
}

const keyBytes = (isRight: (bytes: Buffer) => boolean, message: string) =>
  z
    .string()
    .refine((value) => value.length <= 128 && isRight(decodeBase64Url(value) ?? Buffer.alloc(0)), message)
    .transform((value) => value.replace(/=+$/, ''))

/** The keys of a browser's subscription, base64url (RFC 8291). */
export const WebPushKeys = z.strictObject({
  p256dh: keyBytes(isP256Point, 'must be the base64url of a P-256 public key (65 bytes, uncompressed)'),
  auth: keyBytes((bytes) => bytes.length === 16, 'must be the base64url of 16 bytes'),
})
export type WebPushKeys = z.output<typeof WebPushKeys>

const owner = {
  externalId: ExternalId.optional(),
  tags: Tags.optional(),
  language: LanguageTag.optional(),
  timezone: TimeZone.optional(),
  country: Country.optional(),
}

const Version = line(1, 255)

const device = {
  appVersion: Version.optional(),
  sdkVersion: Version.optional(),
  osVersion: Version.optional(),
  deviceModel: text(1, 255).optional(),
}

/** The fields of a phone. Wherever they are used, `checkIosToken` belongs to them. */
export const phoneFields = { platform: z.enum(['ios', 'android']), token: Token, ...owner, ...device }

/**
 * Refuses an iOS token with characters that no token has, such as the angle brackets of a printed `NSData`, which are a mistake of the client
 * (spec: identity/token-form).
 */
export function checkIosToken({ platform, token }: { platform: string; token: string }, context: z.RefinementCtx): void {
  if (platform === 'ios' && !/^[A-Za-z0-9_:-]*$/.test(token))
    context.addIssue({ code: 'custom', message: 'must hold only letters, digits and _ : - for ios', path: ['token'] })
}

/**
 * The phone's token before its present one (spec: identity/old-token). An old token that is not in the form of a token is of no device, and changes
 * nothing.
 */
const old = text(1, 4096).optional()

/** The body of POST /v1/subscriptions: a phone sends its token, a browser its endpoint and keys. */
export const RegisterSubscription = z.discriminatedUnion('platform', [
  z.strictObject({ ...phoneFields, old }).superRefine(checkIosToken),
  z.strictObject({
    platform: z.literal('web'),
    endpoint: Endpoint,
    keys: WebPushKeys,
    browser: text(1, 255).optional(),
    standalone: z.boolean().optional(),
    ...owner,
    ...device,
  }),
])
export type RegisterSubscription = z.output<typeof RegisterSubscription>

const atLeastOneField = (changes: object): boolean => Object.values(changes).some((value) => value !== undefined)

/** The body of PATCH /v1/subscriptions/:id: the fields of a device that a client may change. Those of its user: PATCH /v1/subscriptions/:id/user. */
export const PatchSubscription = z
  .strictObject({
    optedIn: z.boolean().optional(),
    appVersion: Version.optional(),
    osVersion: Version.optional(),
    deviceModel: text(1, 255).optional(),
    badge: z.int().min(0).max(99_999).optional(),
  })
  .refine(atLeastOneField, 'must hold at least one of optedIn, appVersion, osVersion, deviceModel, badge')
export type PatchSubscription = z.output<typeof PatchSubscription>

/** What the administration may change of a device: the fields that a client may change, and whether the device is a test device. */
export const ChangeDevice = z
  .strictObject({ ...PatchSubscription.shape, test: z.boolean().optional() })
  .refine(atLeastOneField, 'must hold at least one of optedIn, appVersion, osVersion, deviceModel, badge, test')
export type ChangeDevice = z.output<typeof ChangeDevice>

/** The body of POST /v1/subscriptions/:id/session, which may be left out. */
export const SessionBody = z.strictObject({ appVersion: Version.optional(), osVersion: Version.optional() }).prefault({})
export type SessionBody = z.output<typeof SessionBody>

/** POST /v1/subscriptions/:id/login */
export const LoginBody = z.strictObject({ externalId: ExternalId })
export type LoginBody = z.output<typeof LoginBody>

/** A change of a user, addressed by id, external id or device. Tags are merged; null deletes a tag. */
export const UserChanges = z
  .strictObject({
    tags: TagChanges.optional(),
    language: LanguageTag.optional(),
    timezone: TimeZone.optional(),
    country: Country.optional(),
  })
  .refine(atLeastOneField, 'must hold at least one of tags, language, timezone, country')
export type UserChanges = z.output<typeof UserChanges>

/**
 * The body of POST /v1/subscriptions/rotate: the browser has a new endpoint. An old endpoint that is not in the form of an endpoint is answered as
 * unknown (404).
 */
export const RotateBody = z.strictObject({
  old: text(1, 2048),
  new: z.strictObject({ endpoint: Endpoint, keys: WebPushKeys }),
})
export type RotateBody = z.output<typeof RotateBody>
