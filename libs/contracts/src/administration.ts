import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { Attribution, ConversionSettings } from './conversion.ts'
import { Holdout, SetHoldout } from './holdout.ts'
import { decodeBase64Url, isP256Point } from './subscription.ts'
import { name, TimeZone } from './text.ts'

/** What a key of an app may be allowed to do (spec: limits/scopes). */
export const scopes = [
  'subscriptions:write',
  'subscriptions:read',
  'users:read',
  'users:write',
  'notifications:send',
  'campaigns:read',
  'campaigns:write',
] as const
export const Scope = z.enum(scopes)
export type Scope = z.output<typeof Scope>

/** The one scope that a public key has. Public keys are built into mobile apps and pages, where anyone can read them. */
export const publicKeyScopes: readonly Scope[] = ['subscriptions:write']

export const KeyKind = z.enum(['secret', 'public'])
export type KeyKind = z.output<typeof KeyKind>

/**
 * What a key of the administration may be allowed to do in its app (spec: administration/admin-key-scopes). `people`: read and change personal data.
 * `settings`: change the app, its credentials of providers and its webhooks.
 */
export const adminScopes = ['read', 'send', 'people', 'settings'] as const
export const AdminScope = z.enum(adminScopes)
export type AdminScope = z.output<typeof AdminScope>

const Name = name(100)

/** A time of day, `HH:MM`. */
export const LocalTime = z
  .string()
  .refine((value) => /^([01]\d|2[0-3]):[0-5]\d$/.test(value), 'must be a time of day, such as 08:30')
  .meta({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' })

/** A user gets at most `max` campaigns within any `windowSeconds`, besides sends that bypass the cap. */
export const FrequencyCap = z.strictObject({
  max: z.int().min(1).max(1000),
  windowSeconds: z
    .int()
    .min(1)
    .max(30 * 86_400),
})
export type FrequencyCap = z.output<typeof FrequencyCap>

/**
 * The hours in which an app holds or skips notifications, in each user's own time zone. When `end` is before `start`, the hours last over midnight.
 */
export const QuietHours = z
  .strictObject({ start: LocalTime, end: LocalTime, action: z.enum(['hold', 'skip']) })
  .refine((hours) => hours.start !== hours.end, { error: 'must differ from start', path: ['end'] })
export type QuietHours = z.output<typeof QuietHours>

const settings = {
  defaultTimezone: TimeZone,
  frequencyCap: FrequencyCap.nullable(),
  quietHours: QuietHours.nullable(),
  identityVerification: z.enum(['off', 'required']),
  attribution: Attribution,
  conversions: ConversionSettings,
  inboxDays: z.int().min(1).max(90),
  approval: z
    .strictObject({ devices: z.int().min(0).max(1_000_000_000) })
    .nullable()
    .meta({ description: 'A send of the dashboard to more devices than this needs a second person; null: none does.' }),
  mostPictures: z.int().min(0).max(5_000).meta({ description: 'How many uploaded pictures the app may have, each of at most 1 MiB.' }),
}
/** The settings of an app as the administration answers them. */
export const Settings = z.strictObject({ ...settings, holdout: Holdout.nullable() })
export type Settings = z.output<typeof Settings>
/** The settings as an operator writes them: Herald adds to a hold-out when it began. */
const ChangeSettings = z.strictObject({ ...settings, holdout: SetHoldout.nullable() }).partial()
export type ChangeSettings = z.output<typeof ChangeSettings>

/** POST /v1/admin/apps */
export const CreateApp = z.strictObject({ name: Name })
export type CreateApp = z.output<typeof CreateApp>

/** PATCH /v1/admin/apps/:appId: a setting that the body leaves out keeps its value. */
export const PatchApp = z
  .strictObject({ name: Name.optional(), settings: ChangeSettings.optional() })
  .refine((changes) => changes.name !== undefined || changes.settings !== undefined, 'must hold at least one of name, settings')
export type PatchApp = z.output<typeof PatchApp>

/** POST /v1/admin/apps/:appId/keys. A secret key for which the body names no scopes gets all scopes. */
export const CreateKey = z
  .strictObject({ kind: KeyKind, name: Name, scopes: z.array(Scope).min(1).optional() })
  .superRefine((key, context) => {
    if (key.kind === 'public' && key.scopes !== undefined) {
      context.addIssue({ code: 'custom', message: 'must be left out: a public key always has subscriptions:write alone', path: ['scopes'] })
    }
  })
  .transform(({ kind, name, scopes: asked }) => ({
    kind,
    name,
    scopes: kind === 'public' ? [...publicKeyScopes] : [...new Set(asked ?? scopes)],
  }))
export type CreateKey = z.output<typeof CreateKey>

/** POST /v1/admin/apps/:appId/admin-keys */
export const CreateAdminKey = z
  .strictObject({ name: Name, scopes: z.array(AdminScope).min(1) })
  .transform(({ name: given, scopes: asked }) => ({ name: given, scopes: [...new Set(asked)] }))
export type CreateAdminKey = z.output<typeof CreateAdminKey>

/** Reads a PEM private key. Gives undefined for any other text. OpenSSL's error is not passed on, because it may quote the key. */
function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem' })
  } catch {
    return undefined
  }
}

const isP256PrivateKey = (pem: string): boolean => {
  const key = readPrivateKey(pem)
  return key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
}

const isRsaPrivateKey = (pem: string): boolean => {
  const key = readPrivateKey(pem)
  return key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048
}

const appleId = (what: string) =>
  z.string().refine((value) => /^[A-Z0-9]{10}$/.test(value), `must be the ${what} of 10 capitals and digits, as Apple shows it`)

const pem = (isRight: (pem: string) => boolean, message: string) =>
  z.string().refine((value) => value.length <= 16_384 && isRight(value), message)

/** PUT …/providers/apns */
export const ApnsCredentials = z.strictObject({
  teamId: appleId('team id'),
  keyId: appleId('key id'),
  privateKey: pem(isP256PrivateKey, 'must be the PEM text of the .p8 file from Apple (a P-256 private key)'),
  bundleId: z.string().refine((value) => /^[A-Za-z0-9.-]{1,155}$/.test(value), 'must be a bundle id, such as com.example.app'),
  environment: z.enum(['production', 'sandbox']),
})
export type ApnsCredentials = z.output<typeof ApnsCredentials>

const httpsUrl = z
  .string()
  .refine((value) => value.length <= 2048 && URL.canParse(value) && new URL(value).protocol === 'https:', 'must be an https URL')

const unread = z.string().max(4096).optional()

/** Google's service account file may be sent whole. Herald stores only the five fields that it uses. */
export const ServiceAccount = z
  .strictObject({
    project_id: z.string().refine((value) => /^[a-z0-9][a-z0-9.:-]{0,99}$/.test(value), 'must be the id of a Firebase project'),
    client_email: z
      .string()
      .refine((value) => /^[^\s@]{1,200}@[^\s@]{1,200}$/.test(value), 'must be the e-mail address of the service account'),
    private_key: pem(isRsaPrivateKey, 'must be the PEM text of an RSA private key, with real line ends'),
    private_key_id: unread,
    token_uri: httpsUrl.optional(),
    type: z.literal('service_account').optional(),
    client_id: unread,
    auth_uri: unread,
    auth_provider_x509_cert_url: unread,
    client_x509_cert_url: unread,
    universe_domain: unread,
  })
  .transform(({ project_id, client_email, private_key, private_key_id, token_uri }) => ({
    project_id,
    client_email,
    private_key,
    ...(private_key_id === undefined ? {} : { private_key_id }),
    ...(token_uri === undefined ? {} : { token_uri }),
  }))
export type ServiceAccount = z.output<typeof ServiceAccount>

/** PUT …/providers/fcm */
export const FcmCredentials = z.strictObject({ serviceAccount: ServiceAccount })
export type FcmCredentials = z.output<typeof FcmCredentials>

/** Whether a base64url private key of P-256 belongs to a base64url public key. */
export function isVapidPair(publicKey: string, privateKey: string): boolean {
  try {
    const ecdh = createECDH('prime256v1')
    ecdh.setPrivateKey(decodeBase64Url(privateKey) ?? Buffer.alloc(0))
    return ecdh.getPublicKey('base64url') === publicKey
  } catch {
    return false
  }
}

const isSubject = (value: string): boolean =>
  value.length <= 255 && (/^mailto:[^\s@]+@[^\s@]+$/.test(value) || (/^https:\/\/\S+$/.test(value) && URL.canParse(value)))

/**
 * PUT …/providers/webpush. When the body has no keys, the stored pair stays, or Herald makes a pair when none is stored. A later change of the keys
 * makes every existing subscription of a browser useless.
 */
export const WebPushCredentials = z
  .strictObject({
    subject: z.string().refine(isSubject, 'must be mailto: and an address, or an https URL, where push services can reach you'),
    publicKey: z
      .string()
      .refine((value) => isP256Point(decodeBase64Url(value) ?? Buffer.alloc(0)), 'must be the base64url of a P-256 public key (65 bytes)')
      .transform((value) => value.replace(/=+$/, ''))
      .optional(),
    privateKey: z
      .string()
      .refine((value) => decodeBase64Url(value)?.length === 32, 'must be the base64url of 32 bytes')
      .transform((value) => value.replace(/=+$/, ''))
      .optional(),
  })
  .superRefine(({ publicKey, privateKey }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', message, path: [field] })
    if (publicKey !== undefined && privateKey === undefined) refuse('privateKey', 'is required together with publicKey')
    else if (publicKey === undefined && privateKey !== undefined) refuse('publicKey', 'is required together with privateKey')
    else if (publicKey !== undefined && privateKey !== undefined && !isVapidPair(publicKey, privateKey))
      refuse('privateKey', 'does not belong to publicKey')
  })
export type WebPushCredentials = z.output<typeof WebPushCredentials>
