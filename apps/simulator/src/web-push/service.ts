import { createPublicKey, randomBytes } from 'node:crypto'
import { answerOfService, behave, type Refusal } from '../behaviour.ts'
import type { Devices } from '../devices.ts'
import { isSignedBy, parseJwt } from '../jwt.ts'
import { keepOneMore, keptByFcm } from '../offline.ts'
import type { Recording } from '../record.ts'
import type { Answer, Request, Serve } from '../request.ts'
import { looksEncrypted } from './decrypt.ts'
import { originAt, type WebDevice } from './device.ts'

const maxBodyBytes = 4096
const maxLifetimeSeconds = 24 * 3600
const clockSkewSeconds = 60
const urgencies = ['very-low', 'low', 'normal', 'high']

type No = { status: number; reason: string }

/** How a push to a device is refused: with answers of the real service (`knownAnswers` of the contracts). */
const refusals: Readonly<Record<Refusal, Answer>> = {
  dead: answerOfService('web gone'),
  bad_token: answerOfService('web not found'),
  rate_limited: withRetryAfter(answerOfService('web too many requests'), 1),
  failing: answerOfService('web server error'),
  unavailable: answerOfService('web use later, Firefox'),
  sender_mismatch: answerOfService('web other key, Chrome'),
}

/** The answer of the push service to every request while its fault `outage` is `503`. */
export const webPushUnavailable: Answer = refusals.unavailable

/**
 * Serves push services (RFC 8030) that demand VAPID (RFC 8292), and aes128gcm of a body (RFC 8291). `origin` is called only after the port is known; a
 * browser of another host has that host's origin, with the same port.
 */
export function openWebPush(devices: Devices, recording: Recording, origin: () => string): Serve {
  const originOf = ({ host }: WebDevice): string => originAt(origin(), host)
  const checkVapid = openVapid()
  const series = randomBytes(6).toString('base64url')
  let received = 0

  return (request) => {
    const { headers, body } = request
    if (!request.path.startsWith('/push/')) return refuse({ status: 404, reason: 'no such resource' })
    if (request.method !== 'POST') return refuse({ status: 405, reason: 'only POST is allowed' })
    const device = devices.web(request.path)
    if (!device) return refusals.bad_token
    const wrong = checkVapid(headers['authorization'], device, originOf(device)) ?? checkHeaders(request)
    if (wrong === 'other key') return refusals.sender_mismatch
    if (wrong) return refuse(wrong)

    const accept = (isOff = false): Answer => {
      const location = `${originOf(device)}/message/${series}${++received}`
      recording.accept({ device, id: location, headers: [headers['ttl'], headers['topic'], headers['urgency']], body, msgId: undefined })
      if (isOff && Number(headers['ttl']) > 0)
        device.kept = keepOneMore(device.kept, { seq: recording.last(), key: headers['topic'] }, keptByFcm)
      return { status: 201, headers: { location, ttl: headers['ttl'] ?? '0' }, body: '', reason: '' }
    }
    return behave(device, accept, (refusal, { retryAfterSeconds }) => withRetryAfter(refusals[refusal], retryAfterSeconds), body.length)
  }
}

function checkHeaders({ headers, body }: Request): No | undefined {
  const { ttl, topic, urgency, 'content-encoding': encoding } = headers
  if (ttl === undefined || !/^\d{1,10}$/.test(ttl)) return { status: 400, reason: 'TTL is missing or not a number of seconds' }
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(topic)) return { status: 400, reason: 'Topic is not 1 to 32 base64url characters' }
  if (urgency !== undefined && !urgencies.includes(urgency)) return { status: 400, reason: 'unknown Urgency' }
  // A push without a body has no message and needs no encryption.
  if (body.length === 0) return undefined
  if (encoding === undefined) return { status: 400, reason: 'Content-Encoding is missing' }
  if (encoding !== 'aes128gcm') return { status: 415, reason: 'Content-Encoding must be aes128gcm' }
  if (body.length > maxBodyBytes) return { status: 413, reason: 'body over 4096 bytes' }
  return looksEncrypted(body) ? undefined : { status: 400, reason: 'body is not aes128gcm' }
}

/** Makes the check of `Authorization: vapid t=<JWT>, k=<public key>`. Verifying takes 100 µs, so a valid header is remembered and recognised by its text. */
function openVapid() {
  const known = new Map<string, { key: string; audience: string; expiresAt: number }>()

  function verify(authorization: string | undefined, origin: string): { key: string; audience: string; expiresAt: number } | No {
    const parameters = /^vapid\s+(.+)$/i.exec(authorization ?? '')?.[1]
    if (parameters === undefined) return { status: 401, reason: 'VAPID authorization is missing' }
    const { t, k } = Object.fromEntries(parameters.split(',').map((part) => /^\s*(\w+)=(.*?)\s*$/.exec(part)?.slice(1) ?? [])) as {
      t?: string
      k?: string
    }
    const jwt = t === undefined ? undefined : parseJwt(t)
    const publicKey = k === undefined ? undefined : parsePublicKey(k)
    if (!jwt || !publicKey || k === undefined) return { status: 401, reason: 'VAPID authorization is malformed' }
    const forbidden = (reason: string): No => ({ status: 403, reason })
    const { aud, exp, sub } = jwt.claims
    const now = Date.now() / 1000
    if (!isSignedBy(jwt, 'ES256', publicKey)) return forbidden('VAPID signature is invalid')
    if (aud !== origin) return forbidden('VAPID aud is not this origin')
    if (typeof exp !== 'number' || exp <= now) return forbidden('VAPID token has expired')
    if (exp > now + maxLifetimeSeconds + clockSkewSeconds) return forbidden('VAPID exp is over 24 hours ahead')
    if (typeof sub !== 'string' || !/^(mailto:.+@|https:\/\/.)/.test(sub)) return forbidden('VAPID sub is not a mailto: or https: address')
    return { key: k, audience: origin, expiresAt: exp }
  }

  return (authorization: string | undefined, device: WebDevice, origin: string): No | 'other key' | undefined => {
    let entry = known.get(authorization ?? '')
    if (!entry || entry.audience !== origin || entry.expiresAt <= Date.now() / 1000) {
      const verified = verify(authorization, origin)
      if ('status' in verified) return verified
      if (known.size >= 10_000) known.clear()
      known.set(authorization ?? '', verified)
      entry = verified
    }
    return device.applicationServerKey === undefined || device.applicationServerKey === entry.key ? undefined : 'other key'
  }
}

function parsePublicKey(text: string) {
  const point = Buffer.from(text, 'base64url')
  if (point.length !== 65 || point[0] !== 4) return undefined
  try {
    const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    return undefined
  }
}

function withRetryAfter(answer: Answer, seconds: number | undefined): Answer {
  return seconds === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } }
}

function refuse({ status, reason }: No): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: status, error: reason }),
    reason,
  }
}
