import { randomBytes } from 'node:crypto'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { Tables } from '../store/tables.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'
import { openPictures } from './remember-pictures.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats }, { HERALD_BASE_URL: 'https://push.shop.example/' })
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
const { appId } = await gateway.givenApp()

const [red, clear] = [
  { r: 200, g: 30, b: 30 },
  { r: 0, g: 0, b: 0, alpha: 0 },
]
const plain = (width = 40, height = 20) => sharp({ create: { width, height, channels: 3, background: red } })
const seeThrough = sharp({ create: { width: 40, height: 20, channels: 4, background: clear } })
const upload = (raw: Buffer, type: string, app = appId) =>
  gateway.ask({
    method: 'POST',
    path: `/v1/admin/apps/${app}/pictures`,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': type },
    raw,
  })
const load = async (address: unknown) => {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${new URL(String(address)).pathname}`)
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

// spec: administration/pictures, administration/pictures-served
test('a picture is written anew without its metadata, and is loaded without credentials under a name that nobody can guess', async () => {
  const secret = 'taken at 48.2082 N'
  const photo = await plain()
    .withExif({ IFD0: { ImageDescription: secret } })
    .jpeg()
    .toBuffer()
  expect(photo.includes(secret)).toBe(true)

  const { status, body } = await upload(photo, 'image/jpeg')
  expect([status, body]).toEqual([
    201,
    {
      ...{ id: expect.any(String), mediaType: 'image/jpeg', width: 40, height: 20, size: expect.any(Number), addedBy: 'administrator' },
      ...{ url: expect.stringMatching(/^https:\/\/push\.shop\.example\/pictures\/[\w-]{43}\.jpg$/), createdAt: expect.any(String) },
    },
  ])
  const { headers, bytes, ...told } = await load(body['url'])
  expect(told.status).toBe(200)
  expect(bytes.length).toBe(body['size'])
  expect(bytes.includes(secret)).toBe(false)
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 40, height: 20 })
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
  })
  for (const wrong of ['x'.repeat(43), `${'x'.repeat(43)}.jpg`, `${'x'.repeat(42)}%00.jpg`])
    expect((await load(`https://h/pictures/${wrong}`)).status).toBe(404)
})

// spec: administration/pictures
test('a picture becomes what every platform shows: transparent PNG, moving GIF, else JPEG, and upright', async () => {
  const frames = await Promise.all([plain().png().toBuffer(), seeThrough.clone().png().toBuffer()])
  const moving = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer()
  const kinds: [Buffer, string, string][] = [
    [await seeThrough.clone().webp().toBuffer(), 'image/webp', 'image/png'],
    [await plain().webp().toBuffer(), 'image/webp', 'image/jpeg'],
    [await plain(41).png().toBuffer(), 'image/png', 'image/jpeg'],
    [moving, 'image/gif', 'image/gif'],
  ]
  for (const [bytes, type, wanted] of kinds) {
    const { body } = await upload(bytes, type)
    expect([type, body['mediaType'], body['height']]).toEqual([type, wanted, 20])
    const loaded = await load(body['url'])
    expect(loaded.headers.get('content-type')).toBe(wanted)
    const { pages = 1 } = await sharp(loaded.bytes, { animated: true }).metadata()
    expect(pages).toBe(type === 'image/gif' ? 2 : 1)
  }
  const onItsSide = await plain(30, 10).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  expect((await upload(onItsSide, 'image/jpeg')).body).toMatchObject({ width: 10, height: 30 })
})

/** A picture that cannot be made smaller by compression. */
const noise = (side: number) => sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })

// spec: administration/pictures
test.each<[string, () => Promise<Buffer>, string, number]>([
  ['a text that says that it is a picture', async () => Buffer.from('no picture'), 'image/png', 422],
  [
    'an SVG under the type of a PNG',
    async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><text>x</text></svg>'),
    'image/png',
    422,
  ],
  ['a PNG under the type of a JPEG', () => plain().png().toBuffer(), 'image/jpeg', 422],
  ['a picture that is cut off', async () => (await noise(64).jpeg().toBuffer()).subarray(0, 900), 'image/jpeg', 422],
  ['a picture of 4,097 pixels', () => plain(4_097, 1).png().toBuffer(), 'image/png', 422],
  ['more than 1 MiB', () => noise(700).png().toBuffer(), 'image/png', 413],
  ['an SVG', async () => Buffer.from('<svg/>'), 'image/svg+xml', 415],
])('%s is refused, and nothing is kept', async (_, make, type, status) => {
  const before = await db.selectFrom('pictures').select('id').execute()
  const told = await upload(await make(), type)
  expect([told.status, told.body.error?.message]).toEqual([status, expect.any(String)])
  expect(await db.selectFrom('pictures').select('id').execute()).toEqual(before)
})

// spec: administration/pictures, administration/audit
test('the same picture is kept once, an app has at most what its settings say, a deleted one is gone', async () => {
  const app = (await gateway.givenApp()).appId
  await gateway.admin('PATCH', `/apps/${app}`, { settings: { mostPictures: 2 } })
  const [one, two, three] = await Promise.all([10, 11, 12].map((width) => plain(width).png().toBuffer()))
  const first = await upload(one!, 'image/png', app)
  expect((await upload(one!, 'image/png', app)).body).toEqual(first.body)
  const second = (await upload(two!, 'image/png', app)).body
  expect((await upload(three!, 'image/png', app)).body.error?.code).toBe('limit_reached')
  const { body } = await gateway.admin('GET', `/apps/${app}/pictures?limit=1`)
  expect([body['items'], body['nextCursor']]).toEqual([[second], expect.any(String)])

  const other = (await gateway.givenApp()).appId
  expect((await gateway.admin('DELETE', `/apps/${other}/pictures/${String(second['id'])}`)).status).toBe(404)
  expect((await gateway.admin('DELETE', `/apps/${app}/pictures/${String(second['id'])}`)).status).toBe(204)
  expect((await load(second['url'])).status).toBe(404)
  expect((await upload(three!, 'image/png', app)).status).toBe(201)
  const audit = (await gateway.admin('GET', `/apps/${app}/audit?action=picture.`)).body['items'] as { action: string }[]
  expect(audit.map(({ action }) => action)).toEqual(['picture.added', 'picture.deleted', 'picture.added', 'picture.added'])
})

// spec: administration/delete-app
test('pictures of a deleted app are no longer served, and go with the app', async () => {
  const app = (await gateway.givenApp()).appId
  const { body } = await upload(await plain(50).png().toBuffer(), 'image/png', app)
  await gateway.admin('DELETE', `/apps/${app}`)
  expect((await load(body['url'])).status).toBe(404)
  await until(async () => (await db.selectFrom('pictures').select('id').where('app_id', '=', app).execute()).length === 0)
  expect((await upload(await plain().png().toBuffer(), 'image/png', newId())).status).toBe(404)
})

// spec: administration/pictures-served
test('an address that asks for many names at random does not keep others from a picture', async () => {
  const added = await upload(await plain(30, 30).png().toBuffer(), 'image/png')
  const { name } = await db.selectFrom('pictures').select('name').where('id', '=', String(added.body['id'])).executeTakeFirstOrThrow()
  const pictures = openPictures({ db })
  const { guesses, shown } = await db.transaction().execute(async (trx) => {
    await sql`lock table pictures`.execute(trx)
    const guesses = Array.from({ length: 250 }, () => pictures.find(randomBytes(32).toString('base64url'), '192.0.2.1'))
    return { guesses: Promise.allSettled(guesses), shown: pictures.find(name, '192.0.2.2') }
  })
  expect(await shown).toMatchObject({ name })
  expect((await guesses).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(100)
})
