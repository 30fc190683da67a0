import { createECDH, createHmac, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import webPush from 'web-push'
import { encryptContent, encryptPush } from './encryption.ts'

const fromText = (text: string) => Buffer.from(text, 'base64url')

/** The encryption library that web-push uses. It decrypts what it encrypted itself and what Herald encrypted. It has no types. */
type ContentEncoding = { decrypt(body: Buffer, options: { version: string; privateKey: unknown; authSecret: string }): Buffer }
const contentEncoding = createRequire(createRequire(import.meta.url).resolve('web-push'))('http_ece') as ContentEncoding

function givenBrowser() {
  const ecdh = createECDH('prime256v1')
  const keys = { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
  const open = (body: Buffer) => contentEncoding.decrypt(body, { version: 'aes128gcm', privateKey: ecdh, authSecret: keys.auth }).toString()
  return { keys, open }
}

test('the example of RFC 8291 appendix A comes out byte by byte', () => {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(fromText('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'))
  const body = encryptPush(
    {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    'When I grow up, I want to be a watermelon',
    { ecdh, publicKey: ecdh.getPublicKey(), salt: fromText('DGv6ra1nlYgDCS1FRnbzlw') },
  )
  expect(body?.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

test('the example of RFC 8188 section 3.1 comes out byte by byte', () => {
  const body = encryptContent(fromText('yqdlZ-tYemfogSmv7Ws5PQ'), fromText('I1BsxtFttlv3u_Oo94xnmw'), Buffer.alloc(0), 'I am the walrus')
  expect(body.toString('base64url')).toBe('I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg')
})

test('the library decrypts what Herald encrypted, for texts of up to 3,992 bytes, also with accents and emoji', () => {
  const { keys, open } = givenBrowser()
  for (const text of ['', 'x', 'Olá 📦 “Order”', ...Array.from({ length: 40 }, (_, no) => 'a'.repeat(no * 100 + 15)), '📦'.repeat(998)]) {
    const body = encryptPush(keys, text)
    expect(body && open(body)).toBe(text)
  }
})

test('an encrypted message has the same length, record size, form of the key and text as the library’s', () => {
  const { keys, open } = givenBrowser()
  const text = '{"title":"T"}'
  const ours = encryptPush(keys, text)
  const theirs = webPush.generateRequestDetails({ endpoint: 'https://push.example/1', keys }, text).body
  expect(ours).toHaveLength(theirs.length)
  // These bytes are the record size, the length of the key, and the form of the key.
  expect(ours?.subarray(16, 22)).toEqual(theirs.subarray(16, 22))
  expect(ours && open(ours)).toBe(open(theirs))
})

test('of 600 messages to a browser no two have a key pair or a salt in common', () => {
  const { keys } = givenBrowser()
  const bodies = Array.from({ length: 600 }, () => encryptPush(keys, 'same') ?? Buffer.alloc(0))
  expect(new Set(bodies.map((body) => body.toString('hex', 0, 16))).size).toBe(600)
  expect(new Set(bodies.map((body) => body.toString('hex', 21, 86))).size).toBe(600)
})

// spec: providers/no-answer
describe('invalid keys of a browser give no message, and nothing is thrown', () => {
  const { keys } = givenBrowser()
  const offCurve = fromText(keys.p256dh)
  offCurve[40] = (offCurve[40] ?? 0) ^ 1
  test.each([
    ['a key too short', { ...keys, p256dh: randomBytes(64).toString('base64url') }],
    ['a point off the curve', { ...keys, p256dh: offCurve.toString('base64url') }],
    ['no base64url at all', { ...keys, p256dh: '****' }],
    ['a secret of 15 bytes', { ...keys, auth: randomBytes(15).toString('base64url') }],
    ['a secret of 65 bytes', { ...keys, auth: randomBytes(65).toString('base64url') }],
  ])('no message is made for %s', (_, wrong) => {
    expect(encryptPush(wrong, 'text')).toBeUndefined()
  })

  test('after a browser with invalid keys, the next message is encrypted as usual', () => {
    const { keys: right, open } = givenBrowser()
    const body = encryptPush(right, 'text')
    expect(body && open(body)).toBe('text')
  })
})

test('a browser’s secret of 16, 17, 63 or 64 bytes is used with all its bytes', () => {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys()
  const browser = createECDH('prime256v1')
  const p256dh = browser.generateKeys('base64url')
  for (const length of [16, 17, 63, 64]) {
    const [auth, salt] = [randomBytes(length), randomBytes(16)]
    const body = encryptPush({ p256dh, auth: auth.toString('base64url') }, 'text', { ecdh, publicKey, salt })
    const mac = (key: Buffer, ...parts: Buffer[]) => createHmac('sha256', key).update(Buffer.concat(parts)).digest()
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), fromText(p256dh), publicKey, Buffer.from([1])])
    const inputKey = mac(mac(auth, browser.computeSecret(publicKey)), info)
    expect(body).toEqual(encryptContent(inputKey, salt, publicKey, 'text'))
  }
})
