import { HeraldError, type SdkCode } from './errors.ts'
import type { WebhookEvent } from './schema.ts'

/** The header that carries the signature. */
export const signatureHeader = 'x-service-signature'

/** A verified delivery. When Herald repeats a delivery the id is the same, so store the ids that you have processed. */
export type Delivery = { deliveryId: string; events: WebhookEvent[] }
export type VerifyOptions = {
  /** How far the time of the signature may be from now, in both directions; 300 s by default. */
  toleranceSeconds?: number
  /** The present time, for tests. */
  now?: Date
}

const mostSecrets = 3
const mostSignatures = 8

/**
 * Verifies a delivery and gives its events. `rawBody` is unparsed; `header` is `x-service-signature`; one of several secrets must match. Rejects with
 * a HeraldError of status 400: malformed, bad_signature, too_old or too_new.
 */
export async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | null | undefined,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<Delivery> {
  const body = bytesOf(rawBody)
  const { time, signatures } = readHeader(header ?? '')
  const signed = joined(`${time}.`, body)
  let isTrue = false
  for (const secret of readSecrets(secrets)) {
    const key = await keyOf(secret)
    // `crypto.subtle.verify` compares in constant time, so its duration tells an attacker nothing about the right signature.
    for (const signature of signatures) isTrue = (await crypto.subtle.verify('HMAC', key, signature, signed)) || isTrue
  }
  if (!isTrue) throw refused('bad_signature', 'The signature was made over another body or with another secret.')
  const age = Math.floor(now.getTime() / 1000) - Number(time)
  if (age > toleranceSeconds) throw refused('too_old', `The signature is ${age} s old. Is it a replay, or is a clock wrong?`)
  if (age < -toleranceSeconds) throw refused('too_new', `The signature lies ${-age} s ahead. Is a clock wrong?`)
  return readDelivery(body)
}

/** Signs a body as Herald does, for tests of your receiver. Gives the value of the header `x-service-signature`. */
export async function sign(rawBody: string | Uint8Array | ArrayBuffer, secret: string, now: Date = new Date()): Promise<string> {
  const [only = ''] = readSecrets(secret)
  const time = Math.floor(now.getTime() / 1000)
  const signature = await crypto.subtle.sign('HMAC', await keyOf(only), joined(`${time}.`, bytesOf(rawBody)))
  return `t=${time},v1=${[...new Uint8Array(signature)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const encoder = new TextEncoder()

function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return encoder.encode(rawBody)
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  if (rawBody instanceof Uint8Array) return rawBody as Uint8Array<ArrayBuffer>
  throw new TypeError(
    'Herald: the body of a webhook is needed as it came, as text or bytes, because JSON that was parsed has another signature. With Express: express.raw({ type: "application/json" }) on this route, then request.body',
  )
}

function readSecrets(secrets: string | readonly string[]): readonly string[] {
  const all = typeof secrets === 'string' ? [secrets] : secrets
  if (
    !Array.isArray(all) ||
    all.length === 0 ||
    all.length > mostSecrets ||
    all.some((secret) => typeof secret !== 'string' || secret === '')
  )
    throw new TypeError(`Herald: the secret of a webhook (whsec_…), or up to ${mostSecrets} of them. Is the environment variable set?`)
  return all
}

/** Reads the header's time (`t`) and its signatures (`v1`, one or more). Other parts are ignored, because a newer Herald may add some. */
function readHeader(header: string): { time: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = header.split(',', 32).map((part) => part.trim().split('='))
  const [time = '', ...more] = parts.flatMap(([name, value = '']) => (name === 't' ? [value] : []))
  const digests = parts.flatMap(([name, value = '']) => (name === 'v1' && /^[0-9a-f]{64}$/.test(value) ? [value] : []))
  if (more.length > 0 || !/^\d{1,12}$/.test(time) || digests.length === 0)
    throw refused('malformed', `The header ${signatureHeader} is missing, or it is not t=<seconds>,v1=<hex>.`)
  const bytesOfHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return { time, signatures: digests.slice(0, mostSignatures).map(bytesOfHex) }
}

function joined(text: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = encoder.encode(text)
  const all = new Uint8Array(start.length + bytes.length)
  all.set(start)
  all.set(bytes, start.length)
  return all
}

const keyOf = (secret: string) =>
  crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

function readDelivery(body: Uint8Array): Delivery {
  try {
    const { id, events } = JSON.parse(new TextDecoder().decode(body)) as { id?: unknown; events?: unknown }
    if (typeof id === 'string' && Array.isArray(events)) return { deliveryId: id, events: events as WebhookEvent[] }
  } catch {
    // The error below says that the body is no delivery.
  }
  throw refused('malformed', 'The body is signed, but it is not a delivery: {"id", "events"}.')
}

const refused = (code: SdkCode, message: string): HeraldError => new HeraldError({ code, status: 400, message })
