import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2'
import type { Config } from '../config.ts'
import { startSimulator } from '../simulator.ts'
import { givenCertificate } from '@herald/http2/testing/certificate'

export type Answered = { status: number; headers: Record<string, string>; body: string }

/** Starts a simulator for this test file on free ports, in this process. Gives its control API and clients that trust it. */
export async function givenSimulator(more: Partial<Config> = {}) {
  const certificate = givenCertificate()
  const ports = { apns: 0, apnsSandbox: 0, fcm: 0, oauth: 0, webPush: 0, control: 0 }
  const simulator = await startSimulator({ host: 'localhost', ports, ...certificate, ...more })
  const sessions: ClientHttp2Session[] = []

  async function control(method: string, path: string, body?: unknown) {
    const response = await fetch(simulator.addresses.control + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }

  return {
    addresses: simulator.addresses,
    certificate,
    control,
    /** Makes a control call and gives the body of its answer. Throws when the call fails. */
    ask: async <T = Record<string, never>>(method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await control(method, path, body)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer))
      return answer.body as T
    },
    /** Opens a session with Node's own HTTP/2 client, which checks the simulator's frames strictly. */
    session(url: string): ClientHttp2Session {
      const session = connect(url, { ca: certificate.pem })
      session.on('error', () => undefined)
      sessions.push(session)
      return session
    },
    stop() {
      for (const session of sessions) session.destroy()
      simulator.stop()
      certificate.remove()
    },
  }
}

/** Posts once on a session. A broken stream rejects with its error. */
export const post = (session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders, body: Buffer | string): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
    const chunks: Buffer[] = []
    let answered: Answered | undefined
    stream.on('response', ({ [constants.HTTP2_HEADER_STATUS]: status, ...rest }) => {
      const texts = Object.entries(rest).map(([name, value]) => [name, String(value)])
      answered = { status: Number(status), headers: Object.fromEntries(texts) as Record<string, string>, body: '' }
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', reject)
    stream.on('end', () => (answered ? resolve({ ...answered, body: Buffer.concat(chunks).toString() }) : reject(new Error('no answer'))))
    stream.on('close', () => reject(new Error(`closed with code ${stream.rstCode}`)))
    stream.end(body)
  })

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function makeJwt(
  algorithm: 'ES256' | 'RS256',
  key: KeyObject | string,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): string {
  const text = `${encode({ alg: algorithm, ...header })}.${encode(claims)}`
  const privateKey = typeof key === 'string' ? createPrivateKey(key) : key
  const signature = sign('sha256', Buffer.from(text), algorithm === 'ES256' ? { key: privateKey, dsaEncoding: 'ieee-p1363' } : privateKey)
  return `${text}.${signature.toString('base64url')}`
}

export const seconds = (fromNow = 0): number => Math.floor(Date.now() / 1000) + fromNow

/** Makes an application server's key pair for VAPID. `text` is the public key, as the `k` of the authorization header. */
export function givenVapidKey(): { text: string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return {
    text: Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url'),
    privateKey,
  }
}
