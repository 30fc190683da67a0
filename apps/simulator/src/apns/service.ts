import { randomUUID } from 'node:crypto'
import type { Accounts, ApnsAccount } from '../accounts.ts'
import { behave, type Behaviour, type Refusal } from '../behaviour.ts'
import { findMsgId, type Devices } from '../devices.ts'
import { isSignedBy, parseJwt } from '../jwt.ts'
import { keepOneMore, keptByApns } from '../offline.ts'
import type { Recording } from '../record.ts'
import { parse, type Answer, type Request, type Serve } from '../request.ts'
import type { Environment } from '../device-kind.ts'

const tokenLifetimeSeconds = 3600
const clockSkewSeconds = 60
const updateWindowMs = 20 * 60_000
const payloadLimits = { voip: 5120, other: 4096 }

/** The push types. For each, the text that its topic has after the bundle id. */
const pushTypes: Readonly<Record<string, string>> = {
  alert: '',
  background: '',
  mdm: '',
  voip: '.voip',
  complication: '.complication',
  fileprovider: '.pushkit.fileprovider',
  location: '.location-query',
  liveactivity: '.push-type.liveactivity',
  pushtotalk: '.voip-ptt',
  widgets: '.push-type.widgets',
  controls: '.push-type.controls',
}

const refusalReasons: Readonly<Record<Refusal, readonly [status: number, reason: string]>> = {
  dead: [410, 'Unregistered'],
  bad_token: [400, 'BadDeviceToken'],
  rate_limited: [429, 'TooManyRequests'],
  failing: [500, 'InternalServerError'],
  unavailable: [503, 'ServiceUnavailable'],
  sender_mismatch: [400, 'DeviceTokenNotForTopic'],
}

type No = { status: number; reason: string }
const no = (status: number, reason: string): No => ({ status, reason })

/** The answer of APNs to every request while its fault `outage` is `503`. */
export const apnsUnavailable: Answer = { status: 503, headers: {}, body: '{"reason":"ServiceUnavailable"}', reason: 'ServiceUnavailable' }

export type ProviderTokens = ReturnType<typeof openProviderTokens>

/**
 * Finds out which account signed a request. Valid tokens are remembered, because a verification costs 100 µs, as much as ten pushes. Beyond
 * `allowance` new tokens in 20 minutes, a team and key get TooManyProviderTokenUpdates, as with Apple.
 */
export function openProviderTokens(accounts: Accounts) {
  const known = new Map<string, { account: ApnsAccount; issuedAt: number }>()
  const updates = new Map<string, number[]>()
  const shown = new Map<string, Set<string>>()
  let allowance = 5

  function verify(token: string, now: number): { account: ApnsAccount; issuedAt: number } | No {
    const jwt = parseJwt(token)
    const { iss, iat } = jwt?.claims ?? {}
    const keyId = jwt?.header['kid']
    if (!jwt || typeof iss !== 'string' || typeof iat !== 'number' || typeof keyId !== 'string') return no(403, 'InvalidProviderToken')
    const account = accounts.apnsKey(iss, keyId)
    if (!account || !isSignedBy(jwt, 'ES256', account.publicKey) || iat > now / 1000 + clockSkewSeconds)
      return no(403, 'InvalidProviderToken')
    shown.set(iss, (shown.get(iss) ?? new Set()).add(token))
    if (iat < now / 1000 - tokenLifetimeSeconds) return no(403, 'ExpiredProviderToken')

    const key = `${iss}/${keyId}`
    const recent = (updates.get(key) ?? []).filter((at) => at > now - updateWindowMs)
    updates.set(key, recent)
    if (recent.length >= allowance) return no(429, 'TooManyProviderTokenUpdates')
    recent.push(now)
    const entry = { account, issuedAt: iat }
    if (known.size >= 10_000) known.clear()
    known.set(token, entry)
    return entry
  }

  return {
    check(authorization: string | undefined, now: number): ApnsAccount | No {
      if (!authorization || !/^bearer ./i.test(authorization)) return no(403, 'MissingProviderToken')
      const token = authorization.slice(7)
      const entry = known.get(token)
      // When a key was replaced, the remembered account is no longer the one of this team and key. Then the token is verified again, and the
      // verification fails.
      if (!entry || accounts.apnsKey(entry.account.teamId, entry.account.keyId) !== entry.account) {
        const verified = verify(token, now)
        return 'status' in verified ? verified : verified.account
      }
      return entry.issuedAt < now / 1000 - tokenLifetimeSeconds ? no(403, 'ExpiredProviderToken') : entry.account
    },
    setAllowance(tokens: number): void {
      allowance = tokens
    },
    /** Gives how many different correctly signed tokens each team has used since the last reset, also those refused as expired or too many. */
    shown: (): Record<string, number> => Object.fromEntries([...shown].map(([teamId, tokens]) => [teamId, tokens.size])),
    /** Forgets which tokens were used, and sets the allowance to its default of 5. */
    reset(): void {
      known.clear()
      updates.clear()
      shown.clear()
      allowance = 5
    },
  }
}

/** Serves `POST /3/device/<token>` for the devices of one environment of APNs, and answers with Apple's statuses and reasons. */
export function openApns(environment: Environment, accounts: Accounts, devices: Devices, tokens: ProviderTokens, record: Recording): Serve {
  return (request: Request): Answer => {
    const { headers, body } = request
    const now = Date.now()
    const id = headers['apns-id'] ?? randomUUID().toUpperCase()
    const refuse = ({ status, reason }: No, extra: Record<string, string> = {}, more: Record<string, unknown> = {}): Answer => ({
      status,
      headers: { 'apns-id': id, ...extra },
      body: JSON.stringify({ reason, ...more }),
      reason,
    })

    if (!request.path.startsWith('/3/device/')) return refuse(no(404, 'BadPath'))
    if (request.method !== 'POST') return refuse(no(405, 'MethodNotAllowed'))
    if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return refuse(no(400, 'BadMessageId'))
    const account = tokens.check(headers['authorization'], now)
    if ('status' in account) return refuse(account)

    const token = request.path.slice(10)
    if (token === '') return refuse(no(400, 'MissingDeviceToken'))
    if (!/^[\da-f]+$/i.test(token)) return refuse(no(400, 'BadDeviceToken'))
    const payload = parse(body)
    const wrong = checkTopic(headers, account, accounts) ?? checkHeaders(headers) ?? checkPayload(headers, body, payload)
    if (wrong) return refuse(wrong)

    const device = devices.ios(token) ?? devices.ios(token.toLowerCase())
    if (!device || device.environment !== environment) return refuse(no(400, 'BadDeviceToken'))
    if (device.bundleId !== bundleIdOf(headers)) return refuse(no(400, 'DeviceTokenNotForTopic'))

    const accept = (isOff = false): Answer => {
      const fields = [
        headers['apns-topic'],
        headers['apns-push-type'],
        headers['apns-priority'],
        headers['apns-expiration'],
        headers['apns-collapse-id'],
      ]
      record.accept({ device, id, headers: fields, body, msgId: findMsgId('ios', payload) })
      if (isOff && headers['apns-expiration'] !== '0') device.kept = keepOneMore(device.kept, { seq: record.last(), key: '' }, keptByApns)
      return { status: 200, headers: { 'apns-id': id }, body: '', reason: '' }
    }
    return behave(device, accept, (refusal, behaviour) => {
      const [status, reason] = refusalReasons[refusal]
      return refuse(no(status, reason), retryAfter(behaviour), refusal === 'dead' ? { timestamp: behaviour.since } : {})
    })
  }
}

const retryAfter = (behaviour: Behaviour): Record<string, string> =>
  behaviour.retryAfterSeconds === undefined ? {} : { 'retry-after': String(behaviour.retryAfterSeconds) }

/** Gives the bundle id in a topic, without the text that the push type adds. */
function bundleIdOf(headers: Request['headers']): string {
  const topic = headers['apns-topic'] ?? ''
  const suffix = pushTypes[headers['apns-push-type'] ?? 'alert'] ?? ''
  return suffix !== '' && topic.endsWith(suffix) ? topic.slice(0, -suffix.length) : topic
}

function checkTopic(headers: Request['headers'], account: ApnsAccount, accounts: Accounts): No | undefined {
  const topic = headers['apns-topic']
  if (!topic) return no(400, 'MissingTopic')
  if (!/^[\w.-]+$/.test(topic)) return no(400, 'BadTopic')
  return accounts.teamOf(bundleIdOf(headers)) === account.teamId ? undefined : no(400, 'TopicDisallowed')
}

function checkHeaders(headers: Request['headers']): No | undefined {
  const {
    'apns-push-type': pushType = 'alert',
    'apns-priority': priority,
    'apns-expiration': expiration,
    'apns-collapse-id': collapseId,
  } = headers
  if (!Object.hasOwn(pushTypes, pushType)) return no(400, 'InvalidPushType')
  if (priority !== undefined && !['1', '5', '10'].includes(priority)) return no(400, 'BadPriority')
  // Without the header the priority is 10, which is an error for a background push.
  if (pushType === 'background' && priority !== '5') return no(400, 'BadPriority')
  if (expiration !== undefined && !/^\d{1,10}$/.test(expiration)) return no(400, 'BadExpirationDate')
  // Header text is decoded as latin1, so one character is one byte.
  return collapseId !== undefined && (collapseId === '' || collapseId.length > 64) ? no(400, 'BadCollapseId') : undefined
}

function checkPayload(headers: Request['headers'], body: Buffer, payload: unknown): No | undefined {
  const pushType = headers['apns-push-type']
  if (body.length === 0) return no(400, 'PayloadEmpty')
  if (body.length > (pushType === 'voip' ? payloadLimits.voip : payloadLimits.other)) return no(413, 'PayloadTooLarge')
  const aps = typeof payload === 'object' && payload !== null ? (payload as { aps?: unknown }).aps : undefined
  if (typeof aps !== 'object' || aps === null) return no(400, 'PayloadEmpty')
  const isBackground = (aps as { 'content-available'?: unknown })['content-available'] === 1
  return pushType === 'background' && !isBackground ? no(400, 'InvalidPushType') : undefined
}
