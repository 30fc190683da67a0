import { createECDH, randomBytes } from 'node:crypto'
import { property } from '../request.ts'
import { decryptPush, type WebKeys } from './decrypt.ts'
import type { Device, DeviceKind } from '../device-kind.ts'

export type WebDevice = Device & { platform: 'web' }

/** Gives the origin of a browser's push service: the simulator's own, or the same port of another host. */
export const originAt = (origin: string, host: string | undefined): string =>
  host === undefined ? origin : `https://${host}:${new URL(origin).port}`

/** Browsers. The push service knows each by the path of its endpoint. */
export const web: DeviceKind<WebDevice> = {
  keptHeaders: ['ttl', 'topic', 'urgency'],
  addressOf: ({ path }) => path,
  registrationOf: ({ path, keys, auth, host }, webPushOrigin) => ({
    endpoint: originAt(webPushOrigin, host) + path,
    keys: { p256dh: keys.publicKey.toString('base64url'), auth: auth.toString('base64url') },
  }),
  isReachedBy: (device, { applicationServerKey }) =>
    device.applicationServerKey !== undefined && device.applicationServerKey === applicationServerKey,
  findMsgId: (payload) => property(property(payload, 'data'), 'msgId'),
  open: ({ keys, auth }, body) => decryptPush(keys, auth, body),
  maker(accounts, { applicationServerKey = accounts.applicationServerKey(), keyPool, host }) {
    const pool = Array.from({ length: keyPool ?? 0 }, newWebKeys)
    let next = 0
    return () => ({
      platform: 'web',
      path: `/push/${randomBytes(24).toString('base64url')}`,
      keys: pool[next++ % pool.length] ?? newWebKeys(),
      auth: randomBytes(16),
      applicationServerKey,
      host,
    })
  },
  toJson: ({ path, keys, auth, applicationServerKey, host }) => ({
    path,
    publicKey: keys.publicKey.toString('base64url'),
    privateKey: keys.privateKey.toString('base64url'),
    auth: auth.toString('base64url'),
    applicationServerKey,
    host,
  }),
  fromJson({ path = '', publicKey = '', privateKey = '', auth = '', applicationServerKey, host }) {
    const bytes = (text: string) => Buffer.from(text, 'base64url')
    const keys = { publicKey: bytes(publicKey), privateKey: bytes(privateKey), ecdh: undefined }
    return { platform: 'web', path, keys, auth: bytes(auth), applicationServerKey, host }
  },
}

/** Makes a P-256 key pair, in about 70 µs. */
function newWebKeys(): WebKeys {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  return { publicKey: ecdh.getPublicKey(), privateKey: ecdh.getPrivateKey(), ecdh }
}
