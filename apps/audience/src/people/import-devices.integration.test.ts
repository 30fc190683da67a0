import { createECDH } from 'node:crypto'
import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { describe, expect, test } from 'vitest'
import { registerSubscription } from './register-subscription.ts'
import { invalidateDead, patchSubscription } from './store/subscriptions.ts'
import { many, openImports, phone } from '../testing/imports.ts'
import { openAudience } from '../testing/rig.ts'

const { db, dispatcher, startProcess } = await openAudience()
await startProcess()
const { bus } = dispatcher
const { importAll, register, contentOf, deviceAt, userNamed } = openImports({ db, bus })

describe('importing a known device', () => {
  // spec: administration/import-known-device
  test('an import that keeps known devices leaves them and their users; importing a file twice changes nothing', async () => {
    const appId = newId()
    await register(appId, 'one', { externalId: 'ann', tags: { plan: 'pro' } })
    const rows = [
      phone('one', { externalId: 'bob', tags: { plan: 'free' }, optedIn: false, sessionCount: 99 }),
      ...many(30, (n) => phone(`new-${n}`, { externalId: `user-${n % 4}`, tags: { n } })),
    ]

    expect(await importAll(appId, rows)).toMatchObject({ rows: 31, created: 30, kept: 1, updated: 0, rejected: 0 })
    const before = await contentOf(appId)
    expect(await importAll(appId, rows)).toMatchObject({ rows: 31, created: 0, kept: 31 })

    expect(await contentOf(appId)).toEqual(before)
    expect(await deviceAt(appId, 'one')).toMatchObject({ opted_in: true, session_count: 1 })
    expect(await userNamed(appId, 'bob')).toBeUndefined()
  })

  test('an import that updates known devices gives a device to the user with its external id, by the identity rules', async () => {
    const appId = newId()
    const anonymous = await register(appId, 'anonymous', { tags: { plan: 'old', kept: true } })
    const ofAnn = await register(appId, 'of-ann', { externalId: 'ann' })
    const left = await register(appId, 'left')

    await importAll(
      appId,
      [
        phone('anonymous', { externalId: 'new', tags: { plan: 'new' }, appVersion: '2.0' }),
        phone('of-ann', { externalId: 'bob' }),
        phone('left', { externalId: 'ann' }),
      ],
      { onExisting: 'update' },
    )

    expect(await deviceAt(appId, 'anonymous')).toMatchObject({ user_id: anonymous.userId, app_version: '2.0', token_version: 1 })
    expect(await userNamed(appId, 'new')).toMatchObject({ id: anonymous.userId, tags: { plan: 'new', kept: true } })
    expect((await deviceAt(appId, 'of-ann')).user_id).toBe((await userNamed(appId, 'bob'))?.id)
    expect((await deviceAt(appId, 'left')).user_id).toBe(ofAnn.userId)
    expect(await db.selectFrom('users').select('id').where('id', '=', left.userId).execute()).toEqual([])
    expect(await userNamed(appId, 'ann')).toBeDefined()
  })

  // spec: administration/import-known-device, identity/reachable
  test('an import leaves a known device opted out or invalidated, whatever the file says, and counts no session', async () => {
    const appId = newId()
    const out = await register(appId, 'out')
    await patchSubscription(db, { appId, subscriptionId: out.id, changes: { optedIn: false } })
    const dead = await register(appId, 'dead')
    await invalidateDead(db, [
      { subscriptionId: dead.id, tokenVersion: 1, agoMs: -1000, deadSince: null, code: 'token_dead', campaignId: newId() },
    ])
    await register(appId, 'in')
    const rows = [phone('out', { optedIn: true }), phone('dead', { optedIn: true }), phone('in', { optedIn: false })]

    for (const onExisting of ['keep', 'update'] as const) await importAll(appId, rows, { onExisting })

    expect(await deviceAt(appId, 'out')).toMatchObject({ opted_in: false, session_count: 1 })
    const invalidated = await deviceAt(appId, 'dead')
    expect(invalidated).toMatchObject({ token_version: 1, session_count: 1 })
    expect(invalidated.invalidated_at).not.toBeNull()
    expect(await deviceAt(appId, 'in')).toMatchObject({ opted_in: false })
  })
})

describe('importing a new device', () => {
  test('an imported device has the past that the file says, and counts as registered when it was last active', async () => {
    const appId = newId()
    const times = { createdAt: '2023-01-01T00:00:00.000Z', lastActiveAt: '2024-01-01T00:00:00.000Z' }
    await importAll(appId, [
      phone('known', { ...times, sessionCount: 7, externalId: 'ann' }),
      phone('unknown', { optedIn: false }),
      phone('ahead', { lastActiveAt: '2999-01-01T00:00:00.000Z' }),
    ])

    expect(await deviceAt(appId, 'known')).toMatchObject({
      created_at: new Date(times.createdAt),
      last_active_at: new Date(times.lastActiveAt),
      registered_at: new Date(times.lastActiveAt),
      session_count: 7,
      last_session_at: null,
      opted_in: true,
    })
    expect(await userNamed(appId, 'ann')).toMatchObject({
      created_at: new Date(times.createdAt),
      last_active_at: new Date(times.lastActiveAt),
    })
    expect(await deviceAt(appId, 'unknown')).toMatchObject({ registered_at: new Date(0), session_count: 0, opted_in: false })
    expect((await deviceAt(appId, 'ahead')).registered_at.getTime()).toBeLessThan(Date.parse('2999-01-01T00:00:00.000Z'))
  })

  test('an imported device is invalidated when its provider says that the token died after the device was last active', async () => {
    const appId = newId()
    await importAll(appId, [phone('one', { lastActiveAt: '2024-01-01T00:00:00.000Z' })])
    const { id } = await deviceAt(appId, 'one')

    const found = await invalidateDead(db, [
      { subscriptionId: id, tokenVersion: 1, agoMs: 0, deadSince: '2024-06-01T00:00:00.000Z', code: 'token_dead', campaignId: newId() },
    ])

    expect(found).toHaveLength(1)
  })

  // spec: administration/import-web
  test('an imported browser keeps its session count, and has no time of a last session until it registers at Herald', async () => {
    const appId = newId()
    const endpoint = 'https://fcm.googleapis.com/x'
    const point = createECDH('prime256v1').generateKeys('base64url')
    const browser = { platform: 'web' as const, endpoint, keys: { p256dh: point, auth: Buffer.alloc(16, 1).toString('base64url') } }
    await importAll(appId, [{ ...browser, sessionCount: 4 }], { web: 'import' })
    expect(await deviceAt(appId, endpoint)).toMatchObject({ last_session_at: null, session_count: 4 })

    await registerSubscription({ db }, { appId, subscription: browser })

    const seen = await deviceAt(appId, endpoint)
    expect(seen).toMatchObject({ session_count: 5, token_version: 1 })
    expect(seen.last_session_at).not.toBeNull()
  })

  test('an import that keeps known devices adds only missing tags and fields; one that updates overwrites them', async () => {
    const appId = newId()
    await register(appId, 'one', { externalId: 'ann', tags: { plan: 'pro' }, language: 'de' })
    const row = { externalId: 'ann', tags: { plan: 'old', since: 2019 }, language: 'fr', country: 'AT' }

    await importAll(appId, [phone('two', row)])
    expect(await userNamed(appId, 'ann')).toMatchObject({ tags: { plan: 'pro', since: 2019 }, language: 'de', country: 'AT' })

    await importAll(appId, [phone('three', row)], { onExisting: 'update' })
    expect(await userNamed(appId, 'ann')).toMatchObject({
      tags: { plan: 'old', since: 2019 },
      language: 'fr',
      country: 'AT',
      by_backend: true,
    })
  })

  // spec: administration/import-rejected, administration/import-left-out, identity/device-limit, identity/tags
  test('an import rejects a user’s 101st device and leaves out tags beyond 100, within one group or over several', async () => {
    const tags = (from: number, count: number) => Object.fromEntries(many(count, (n) => [`tag-${from + n}`, n]))
    const rows = [
      ...many(102, (n) => phone(`token-${n}`, { externalId: 'ann' })),
      phone('a', { externalId: 'bob', tags: tags(0, 60) }),
      phone('b', { externalId: 'bob', tags: tags(50, 60) }),
      phone('c', { externalId: 'bob', tags: tags(50, 50) }),
    ]
    for (const perLot of [500, 10]) {
      const appId = newId()
      const report = await importAll(appId, rows, {}, perLot)

      expect(report).toMatchObject({
        ...{ created: 103, rejected: 2, byCode: { device_limit: 2 } },
        warnings: { 'left_out:labels': 1 },
      })
      const { items } = await bus.call(calls.listImportErrors, { appId, importId: report.id, limit: 10, after: 0 })
      expect(items.map(({ row, column, code }) => [row, column, code])).toEqual([
        [101, 'customer', 'device_limit'],
        [102, 'customer', 'device_limit'],
      ])
      expect(Object.keys((await userNamed(appId, 'bob'))?.tags ?? {})).toHaveLength(100)
    }
  })

  // spec: administration/import-left-out, identity/tags
  test('an import leaves out a tag for which its user has no room, and counts the row', async () => {
    const large = (count: number, value: string) => Object.fromEntries(many(count, (n) => [`tag-${n}`, value.repeat(1_000)]))
    const rows = [
      phone('a', { externalId: 'bob', tags: { ...large(16, 'x'), last: 'y'.repeat(1_000), small: 1 } }),
      phone('b', { externalId: 'bob', tags: { more: 'z'.repeat(1_000), also: true } }),
    ]
    for (const perLot of [500, 1]) {
      for (const dryRun of [true, false]) {
        const appId = newId()
        const report = await importAll(appId, rows, { dryRun }, perLot)
        expect(report).toMatchObject({ created: 2, rejected: 0, warnings: { 'left_out:labels': 2 } })
        const kept = { ...large(16, 'x'), small: 1, also: true }
        expect((await userNamed(appId, 'bob'))?.tags).toEqual(dryRun ? undefined : kept)
      }
    }
  })

  test('a device that is imported and registers at the same moment becomes one device of one user', async () => {
    const appId = newId()
    const rows = many(60, (n) => phone(`token-${n}`, { externalId: `user-${n % 20}`, tags: { imported: true } }))

    const [report] = await Promise.all([
      importAll(appId, rows, { onExisting: 'update' }, 20),
      ...rows.map((row) => bus.call(calls.registerSubscription, { appId, subscription: row })),
    ])

    expect(report).toMatchObject({ rows: 60, rejected: 0 })
    const content = await contentOf(appId)
    expect(content).toHaveLength(60)
    expect((await db.selectFrom('users').select('id').where('app_id', '=', appId).execute()).length).toBe(20)
  })
})

// spec: categories/exported
test.each([
  ['keep', { offers: false, news: false }],
  ['update', { offers: true, news: false }],
] as const)('with onExisting %s an import gives a user the file’s choices, of several rows about one too', async (onExisting, wanted) => {
  const appId = newId()
  await importAll(appId, [phone('one', { externalId: 'ann', preferences: { offers: false } })])
  await importAll(
    appId,
    [
      phone('two', { externalId: 'ann', preferences: { offers: true } }),
      phone('three', { externalId: 'ann', preferences: { news: false } }),
      phone('four'),
    ],
    { onExisting },
  )
  expect((await userNamed(appId, 'ann'))?.preferences).toEqual(wanted)
  const { user_id: userId } = await deviceAt(appId, 'four')
  const { preferences } = await db.selectFrom('users').select('preferences').where('id', '=', userId).executeTakeFirstOrThrow()
  expect(preferences).toBeNull()
})
