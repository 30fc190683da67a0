import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { expectRefused } from '../testing/expect-refused.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const app = await gateway.givenApp()
const secret = { authorization: `Bearer ${app.secretKey}` }
const send = '/v1/notifications'
const json = { 'content-type': 'application/json' }

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
const brokenBodies: [string, string | Buffer][] = [
  ['nothing', ' '],
  ['half an object', '{"target":'],
  ['a word', 'hello'],
  ['NaN', '{"ttl":NaN}'],
  ['a comma too many', '{"target":{"all":true},}'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['an overlong NUL', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
  ['a byte order mark', `\uFEFF{"target":{"all":true},"silent":true}`],
  ['a list', '[]'],
  ['null', 'null'],
  ['a number', '1e400'],
  ['a text', '"text"'],
  ['100,000 nested lists', deep('[', ']', 100_000)],
  ['80,000 nested objects', deep('{"a":', '}', 80_000).replace('}', '1}')],
  ['20,000 nested segments', `{"silent":true,"target":{"segment":${'{"and":['.repeat(20_000)}{}${']}'.repeat(20_000)}}}`],
  ['nested content', `{"target":{"all":true},"content":${deep('{"en":', '}', 20_000).replace('}', '1}')}}`],
  ['30,000 keys', JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`key${n}`, n])))],
  ['__proto__', '{"__proto__":{"polluted":true},"target":{"all":true},"silent":true}'],
  ['__proto__ in data', '{"data":{"__proto__":"x"},"target":{"all":true},"silent":true}'],
  ['constructor', '{"constructor":{"prototype":{"polluted":true}},"target":{"all":true},"silent":true}'],
  ['an unknown field', '{"target":{"all":true},"silent":true,"appId":"x"}'],
]

// spec: limits/body-json, limits/strict
test.each(brokenBodies)('a request with a body of %s is refused with 422 invalid_body and details', async (what, raw) => {
  for (const [path, headers] of [
    [send, secret],
    ['/v1/subscriptions', { 'x-app-key': app.publicKey }],
    ['/v1/admin/apps', { authorization: `Bearer ${adminToken}` }],
  ] as const) {
    const told = await gateway.ask({ method: 'POST', path, headers: { ...headers, ...json }, raw })
    expectRefused(told, what)
    const isTooLarge = path === '/v1/subscriptions' && raw.length > 32_768
    const expected = isTooLarge ? [413, 'body_too_large'] : [422, 'invalid_body']
    expect([path, told.status, told.body.error?.code]).toEqual([path, ...expected])
    expect((told.body.error?.details?.length ?? 0) > 0).toBe(!isTooLarge)
  }
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

const nastyValues: unknown[] = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\r\nSet-Cookie: a=b',
  '\u202e\u0000',
  '𝕏'.repeat(5_000),
  ' ',
  '',
  '{{user.name',
  '{% include "/etc/passwd" %}',
  "' or 1=1 --",
  '$where',
  '../../etc/passwd',
  1e308,
  -1e308,
  2 ** 53,
  -0,
  0.1,
  true,
  false,
  null,
  [],
  [[]],
  {},
  { a: { b: {} } },
  { toString: 'x' },
  { hasOwnProperty: 1 },
  { length: -1 },
  { $gt: '' },
]
const fields: [path: string, bodyWith: (value: unknown) => unknown][] = [
  [send, (value) => value],
  [send, (target) => ({ target, silent: true })],
  ...['externalIds', 'userIds', 'subscriptionIds', 'segment', 'segmentId', 'all'].map((name): [string, (value: unknown) => unknown] => [
    send,
    (value) => ({ target: { [name]: value }, silent: true }),
  ]),
  [send, (value) => ({ target: { externalIds: [value] }, silent: true })],
  [send, (value) => ({ target: { segment: { field: value, op: 'eq', value: 1 } }, silent: true })],
  [send, (value) => ({ target: { segment: { field: 'lastActiveAt', op: 'gt', value } }, silent: true })],
  ...['content', 'templateId', 'data', 'ttl', 'collapseId', 'priority', 'presentation', 'overrides', 'bypass'].map(
    (name): [string, (value: unknown) => unknown] => [send, (value) => ({ target: { all: true }, silent: true, [name]: value })],
  ),
  [send, (value) => ({ target: { all: true }, content: { _default: 'en', en: { title: value, body: value } } })],
  [send, (value) => ({ target: { all: true }, content: { _default: value, en: { title: 't', body: 'b' } } })],
  ...['platform', 'token', 'externalId', 'tags', 'language', 'timezone', 'country', 'appVersion', 'deviceModel'].map(
    (name): [string, (value: unknown) => unknown] => ['/v1/subscriptions', (value) => ({ platform: 'ios', token: 't', [name]: value })],
  ),
  ['/v1/subscriptions', (endpoint) => ({ platform: 'web', endpoint, keys: { p256dh: endpoint, auth: endpoint } })],
  ['/v1/subscriptions', (value) => ({ platform: 'ios', token: 't', tags: { [JSON.stringify(value)]: value } })],
  ['/v1/admin/apps', (name) => ({ name })],
  ['/v1/admin/apps/APP', (settings) => ({ settings })],
  ...['defaultTimezone', 'frequencyCap', 'quietHours', 'identityVerification', 'approval', 'mostPictures'].map(
    (name): [string, (value: unknown) => unknown] => ['/v1/admin/apps/APP', (value) => ({ settings: { [name]: value } })],
  ),
  ['/v1/admin/apps/APP/keys', (value) => ({ kind: 'secret', name: value, scopes: value })],
  [
    '/v1/admin/apps/APP/providers/apns',
    (value) => ({ teamId: value, keyId: value, privateKey: value, bundleId: value, environment: value }),
  ],
  ['/v1/admin/apps/APP/providers/fcm', (value) => ({ serviceAccount: { project_id: value, client_email: value, private_key: value } })],
  ['/v1/admin/apps/APP/providers/webpush', (value) => ({ subject: value, publicKey: value, privateKey: value })],
]

test(`${nastyValues.length} hostile values in ${fields.length} places of request bodies are accepted or refused, and never an internal error`, async () => {
  for (const [pattern, bodyWith] of fields) {
    const path = pattern.replace('APP', app.appId)
    const method = path.endsWith(app.appId) ? 'PATCH' : path.includes('/providers/') ? 'PUT' : 'POST'
    const authorization = `Bearer ${path.startsWith('/v1/admin') ? adminToken : app.secretKey}`
    await Promise.all(
      nastyValues.map(async (value) => {
        const body = bodyWith(value)
        const told = await gateway.ask({ method, path, headers: { authorization }, body })
        const what = `${method} ${pattern} ${JSON.stringify(body).slice(0, 200)}`
        if (told.status >= 300) expectRefused(told, what)
      }),
    )
  }
  expect(await gateway.ask({ path: '/health' })).toMatchObject({ status: 200 })
})

const sendAs = (headers: Record<string, string>) =>
  gateway.ask({ method: 'POST', path: send, headers: { ...secret, ...headers }, raw: '{"target":{"all":true},"silent":true}' })

// spec: limits/body-json
test.each([
  ['none', {}],
  ['text/plain', { 'content-type': 'text/plain' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['JSON of another kind', { 'content-type': 'application/merge-patch+json' }],
  ['Latin-1', { 'content-type': 'application/json; charset=iso-8859-1' }],
  ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
])('a body is refused with 415 when its content type is wrong: %s', async (_, headers) => {
  expect(await sendAs(headers)).toMatchObject({ status: 415, body: { error: { code: 'unsupported_media_type' } } })
})

test('a body of JSON in UTF-8 is accepted with different spellings of its content type', async () => {
  for (const type of ['application/json', 'Application/JSON; Charset="UTF-8"', 'application/json;charset=utf-8']) {
    expect((await sendAs({ 'content-type': type })).status).toBe(202)
  }
})

// spec: limits/body-json
test('a compressed body is refused with 415', async () => {
  const headers = { ...secret, ...json, 'content-encoding': 'gzip' }
  const told = await gateway.ask({ method: 'POST', path: send, headers, raw: gzipSync('{"target":{"all":true},"silent":true}') })
  expect(told).toMatchObject({ status: 415, body: { error: { code: 'unsupported_media_type' } } })
})

const bodyOf = (length: number): string => '{"target":{"all":true},"silent":true}'.padEnd(length)

// spec: limits/body-size
test('a body of up to 512 KiB is accepted, a larger one refused at once, declared or not', async () => {
  const ask = (raw: string, more: Record<string, string> = {}) =>
    gateway.ask({ method: 'POST', path: send, headers: { ...secret, ...json, ...more }, raw })
  expect((await ask(bodyOf(524_288))).status).toBe(202)
  expect(await ask(bodyOf(524_289))).toMatchObject({ status: 413, body: { error: { code: 'body_too_large' } } })

  const endless = await new Promise<string>((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.write(
      `POST ${send} HTTP/1.1\r\nhost: x\r\nauthorization: ${secret.authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    const timer = setInterval(() => socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`), 5)
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      clearInterval(timer)
      socket.destroy()
      resolve(data.toString())
    })
  })
  expect(endless).toMatch(/^HTTP\/1\.1 413 /)
})

// spec: limits/body-size
test.each([
  ['sign-in', 'POST', '/v1/admin/session', {}, 4_096],
  ['registration', 'POST', '/v1/subscriptions', { 'x-app-key': app.publicKey }, 32_768],
  ['change of a device', 'PATCH', `/v1/subscriptions/${'a'.repeat(24)}`, { 'x-app-key': app.publicKey }, 32_768],
  ['login', 'POST', `/v1/subscriptions/${'a'.repeat(24)}/login`, secret, 32_768],
])('the body of a %s has a limit of its own, which the refusal names', async (_, method, path, headers, most) => {
  const ask = (length: number) => gateway.ask({ method, path, headers: { ...headers, ...json }, raw: ' '.repeat(length - 2) + '{}' })
  expect((await ask(most)).status).not.toBe(413)
  expect(await ask(most + 1)).toMatchObject({ status: 413, body: { error: { message: expect.stringContaining(`${most / 1_024} KiB`) } } })
})

// spec: limits/body-budget
test('clients that hold back 512 KiB’s last byte take 8 MiB at most; a small request is answered', async () => {
  const holding = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(gateway.port, '127.0.0.1')
      const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
      socket.on('error', () => undefined)
      socket.write(
        `POST ${send} HTTP/1.1\r\nhost: x\r\nauthorization: ${secret.authorization}\r\ncontent-type: application/json\r\ncontent-length: 524288\r\n\r\n`,
      )
      socket.write(' '.repeat(524_287))
      return { socket, answered }
    }),
  )
  const told = holding.map(({ answered }) => answered)
  const first = await Promise.race(told)
  expect(first).toMatch(/^HTTP\/1\.1 429 /)
  expect(first).toMatch(/retry-after: 1\r\n/i)
  expect((await gateway.ask({ method: 'POST', path: send, headers: secret, body: { target: { all: true }, silent: true } })).status).toBe(
    202,
  )
  for (const { socket } of holding) socket.destroy()
  await until(
    async () => (await gateway.ask({ method: 'POST', path: send, headers: { ...secret, ...json }, raw: bodyOf(524_288) })).status === 202,
    { what: 'the bytes are given back' },
  )
})

// spec: limits/body-budget
test('a body that comes byte by byte is read like any other, with a length and without', async () => {
  const text = '{"target":{"all":true},"silent":true}'.padEnd(2_000)
  const head = `POST ${send} HTTP/1.1\r\nhost: x\r\nauthorization: ${secret.authorization}\r\ncontent-type: application/json\r\nconnection: close\r\n`
  const statusOf = (begin: string, pieces: string[], end: string) =>
    new Promise<string>((resolve) => {
      const socket = connect({ port: gateway.port, host: '127.0.0.1', noDelay: true })
      socket.once('data', (data) => resolve(data.toString('latin1', 9, 12)))
      socket.on('error', () => undefined)
      socket.write(head + begin)
      for (const piece of pieces) socket.write(piece)
      socket.write(end)
    })
  const bytes = text.split('')
  expect(await statusOf(`content-length: ${text.length}\r\n\r\n`, bytes, '')).toBe('202')
  const chunks = bytes.map((byte) => `1\r\n${byte}\r\n`)
  expect(await statusOf('transfer-encoding: chunked\r\n\r\n', chunks, '0\r\n\r\n')).toBe('202')
})

test('no hostile request reached another app than the one of its key', () => {
  expect(peers.sent.every(({ appId }) => appId === app.appId)).toBe(true)
  expect(peers.registered.every(({ appId }) => appId === app.appId)).toBe(true)
})
