import { changeUsers } from '@herald/contracts/calls/audience'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url, cutOff } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId, secretKey } = await gateway.givenApp()
afterEach(() => {
  peers.refusal = undefined
})

type Result = {
  index: number
  status: number
  id?: string
  replayed?: boolean
  error?: { code: string; message: string; details?: { path: string }[] }
}
const post = async (path: string, body: unknown, headers: Record<string, string> = {}, on = gateway, key = secretKey) => {
  const told = await on.ask({ method: 'POST', path, headers: { authorization: `Bearer ${key}`, ...headers }, body })
  return { ...told, results: (told.body['results'] ?? []) as Result[] }
}
const send = (notifications: unknown[], headers: Record<string, string> = {}) => post('/v1/notifications/batch', { notifications }, headers)
const many = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index))
const to = (externalId: string, more: object = {}) => ({ target: { externalIds: [externalId] }, silent: true, ...more })
const sentTo = (externalId: string) => peers.sent.filter(({ notification }) => JSON.stringify(notification).includes(`"${externalId}"`))

test('of a hundred notifications each wrong one is refused with its wrong field’s path; the others are sent', async () => {
  const wrong: Record<number, [item: unknown, path: string]> = {
    3: [{ silent: true }, 'notifications.3.target'],
    17: [to('wrong', { ttl: -1 }), 'notifications.17.ttl'],
    20: ['text', 'notifications.20'],
    41: [to('wrong', { content: { _default: 'en', en: { title: 'Hi' } } }), 'notifications.41.content.en.body'],
    66: [to('wrong', { unheard: 1 }), 'notifications.66.unheard'],
    80: [to('wrong', { idempotencyKey: 'ä' }), 'notifications.80.idempotencyKey'],
    99: [{ target: { segment: { field: 'tags.x', op: 'like', value: 1 } }, silent: true }, 'notifications.99.target.segment.op'],
  }

  const { status, results } = await send(many(100, (index) => wrong[index]?.[0] ?? to(`right-${index}`)))

  expect(status).toBe(200)
  expect(results.map(({ index }) => index)).toEqual(many(100, (index) => index))
  const isRight = ({ index }: Result) => wrong[index] === undefined
  expect(results.filter((result) => isRight(result) !== (result.status === 202))).toEqual([])
  for (const { index, id } of results.filter(isRight)) {
    expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(sentTo(`right-${index}`)).toMatchObject([{ appId, idempotency: null }])
  }
  for (const { index, status: itemStatus, id, error } of results.filter((result) => !isRight(result))) {
    const path = wrong[index]?.[1] ?? ''
    expect([itemStatus, id, error?.details?.[0]?.path]).toEqual([422, undefined, path])
    expect(error?.message).toContain(path)
  }
  expect(results[99]?.error?.code).toBe('invalid_segment')
  expect(sentTo('wrong')).toEqual([])
})

test('a batch that is empty, too long or not a list of items is refused as a whole', async () => {
  for (const [path, body] of [
    ['/v1/notifications/batch', { notifications: [] }],
    ['/v1/notifications/batch', { notifications: many(101, () => to('frame')) }],
    ['/v1/notifications/batch', { notifications: [to('frame')], more: 1 }],
    ['/v1/notifications/batch', [to('frame')]],
    ['/v1/users/batch', { users: [] }],
    ['/v1/users/batch', { users: many(501, () => ({ externalId: 'frame' })) }],
    ['/v1/users/batch', { users: 'frame' }],
  ] as const)
    expect(await post(path, body)).toMatchObject({ status: 422, body: { error: { code: 'invalid_body' } } })
  const long = { idempotencyKey: 'x'.repeat(300_000) }
  expect((await send([to('frame', long), to('frame', long)])).status).toBe(413)
  expect(await send([to('frame')], { 'idempotency-key': 'x'.repeat(256) })).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'headers.idempotency-key' }] } },
  })
  expect(sentTo('frame')).toEqual([])
})

test('a repeated batch sends only the missing notifications, known by their keys or the request’s and their index', async () => {
  const items = [to('a', { idempotencyKey: newId() }), to('b'), to('c')]
  const headers = { 'idempotency-key': newId() }

  const first = await send(items.slice(0, 2), headers)
  const second = await send(items, headers)

  expect(first.results.map(({ replayed }) => replayed)).toEqual([undefined, undefined])
  expect(second.results).toMatchObject([
    { status: 202, id: first.results[0]?.id, replayed: true },
    { status: 202, id: first.results[1]?.id, replayed: true },
    { status: 202 },
  ])
  expect(second.results[2]).not.toHaveProperty('replayed')
  expect(sentTo('b')[0]?.idempotency?.key).toBe(`${headers['idempotency-key']}:1`)
})

test('a batch does not send a notification again that was sent alone with the same key', async () => {
  const key = newId()
  const single = await post('/v1/notifications', to('d'), { 'idempotency-key': key })

  const { results } = await send([to('d', { idempotencyKey: key })])

  expect(results).toEqual([{ index: 0, status: 202, id: single.body['id'], replayed: true }])
})

test('in a batch a used key with another body fails that notification alone; with the same it replays', async () => {
  const [key, twice] = [newId(), newId()]
  await send([to('e', { idempotencyKey: key })])

  const { results } = await send([
    to('other', { idempotencyKey: key }),
    to('f'),
    to('g', { idempotencyKey: twice }),
    to('g', { idempotencyKey: twice }),
    to('other', { idempotencyKey: twice }),
  ])

  expect(results).toMatchObject([
    { status: 422, error: { code: 'idempotency_key_reused' } },
    { status: 202 },
    { status: 202 },
    { status: 202, id: results[2]?.id, replayed: true },
    { status: 422, error: { code: 'idempotency_key_reused' } },
  ])
})

test('the Idempotency-Key of a batch may have all 255 characters, and its notifications still have different keys', async () => {
  const headers = { 'idempotency-key': 'k'.repeat(255) }
  const first = await send([to('h'), to('h')], headers)
  const second = await send([to('h'), to('h')], headers)

  expect(first.results[0]?.id).not.toBe(first.results[1]?.id)
  expect(second.results.map(({ id, replayed }) => [id, replayed])).toEqual(first.results.map(({ id }) => [id, true]))
  for (const { idempotency } of sentTo('h')) expect(idempotency?.key.length).toBeLessThanOrEqual(255)
})

test('each notification of a batch counts in the limit; those beyond are 429, and the batch counts nothing', async () => {
  const limited = await startGateway({ database: url('gateway'), nats }, { SEND_RATE_LIMIT: '5', API_RATE_LIMIT: '1' })
  const window = () => Math.floor(performance.now() / 60_000)
  const counted = async () => {
    const begun = window()
    const { secretKey: key } = await limited.givenApp()
    const batch = (notifications: unknown[]) => post('/v1/notifications/batch', { notifications }, {}, limited, key)
    const first = await batch([to('i'), {}, to('i')])
    const second = await batch([to('i'), to('i'), to('beyond'), {}])
    const alone = await post('/v1/notifications', to('beyond'), {}, limited, key)
    return { isWhole: window() === begun, first, second, alone }
  }
  // Rate limits count anew with each minute of the process's clock. When a minute ends between the requests, they are made once more.
  let seen = await counted()
  if (!seen.isWhole) seen = await counted()
  const { first, second, alone } = seen

  expect(first.results.map(({ status }) => status)).toEqual([202, 422, 202])
  expect(second.results.map(({ status }) => status)).toEqual([202, 202, 429, 429])
  expect(second.results[2]?.error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('seconds') })
  expect(second.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '0' })
  expect(alone.status).toBe(429)
  expect(sentTo('beyond')).toEqual([])
})

test('when campaigns is away each valid notification of a batch says so, and the batch is 200', async () => {
  peers.refusal = queueUnavailable()
  expect(await send([to('j'), {}])).toMatchObject({
    status: 200,
    results: [{ status: 503, error: { code: 'queue_unavailable' } }, { status: 422 }],
  })
})

test('in a batch of users each wrong one is refused with its path; the others change in one call', async () => {
  const userId = newId()
  const users = [
    { externalId: 'ann', tags: { plan: 'pro', trial: null }, country: 'de' },
    { externalId: 'ann', userId },
    { tags: {} },
    { userId: 'ann' },
    { externalId: 'null' },
    { userId, language: 'DE_at' },
    { externalId: 'bob', tags: { plan: {} } },
    7,
  ]

  const { status, results } = await post('/v1/users/batch', { users })

  expect(status).toBe(200)
  expect(results.map((result) => result.error?.details?.[0]?.path ?? result.status)).toEqual([
    200,
    'users.1',
    'users.2',
    'users.3.userId',
    'users.4.externalId',
    200,
    'users.6.tags.plan',
    'users.7',
  ])
  expect(results[0]).toMatchObject({ index: 0, id: expect.any(String), created: false })
  expect(peers.asked.findLast(({ subject }) => subject === changeUsers.subject)?.request).toEqual({
    appId,
    users: [
      { externalId: 'ann', tags: { plan: 'pro', trial: null }, country: 'DE' },
      { userId, language: 'de-AT' },
    ],
  })
})

test('a batch of users or notifications is refused for a key without the scope that a single request needs', async () => {
  const body = { kind: 'secret', name: 'narrow', scopes: ['users:read', 'campaigns:write'] }
  const key = String((await gateway.admin('POST', `/apps/${appId}/keys`, body)).body['key'])
  const withKey = (path: string, items: object) => post(path, items, {}, gateway, key)
  expect((await withKey('/v1/users/batch', { users: [{ externalId: 'ann' }] })).status).toBe(403)
  expect((await withKey('/v1/notifications/batch', { notifications: [to('k')] })).status).toBe(403)
})

test('a batch is 503 while the database is away; when it goes away midway, the undone items are 503', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  peers.beforeSend = async (request) => {
    if (JSON.stringify(request).includes('"slow"')) await released
  }
  const answered = send([to('quick'), to('slow')])
  await until(() => sentTo('slow').length === 1 && sentTo('quick').length === 1)

  const reopen = await cutOff()
  try {
    expect(await answered).toMatchObject({
      status: 200,
      results: [{ status: 202 }, { status: 503, error: { code: 'database_unavailable' } }],
    })
    expect(await send([to('late')])).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } })
  } finally {
    release()
    peers.beforeSend = undefined
    await reopen()
  }
})
