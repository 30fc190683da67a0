import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import type { SaveSegment } from '@herald/contracts/saved-segment'
import type { Bus } from '@herald/service/bus'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fanOut } from '../sends/fan-out.ts'
import { givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const { db, audience, dispatcher, peers, startProcess } = await openAudience()
await startProcess()
const call: Bus['call'] = (contract, request) => dispatcher.bus.call(contract, request)

const onIos = { field: 'platform', op: 'eq', value: 'ios' }
const save = (appId: string, segment: Partial<SaveSegment> = {}) =>
  call(calls.createSegment, { appId, segment: { name: 'iPhones', definition: onIos, ...segment } })
const notFound = { code: 'not_found', message: 'Not found.' }

describe('saved segments', () => {
  // spec: segments/saved-fields
  test('a saved segment is read as it was saved, with its definition word for word', async () => {
    const appId = newId()
    const definition = { and: [{ value: 1e-7, op: 'gt', field: 'tags.score' }, { op: 'eq', field: 'tags.x', value: 'ü' }, onIos] }

    const saved = await save(appId, { name: 'Rich', description: 'who spends', definition })

    expect(saved).toMatchObject({ name: 'Rich', description: 'who spends', lastCount: null, lastCountedAt: null })
    expect(JSON.stringify(saved.definition)).toBe(JSON.stringify(definition))
    expect(await call(calls.readSegment, { appId, segmentId: saved.id })).toEqual(saved)
    expect(JSON.stringify(await call(calls.findSegment, { appId, segmentId: saved.id }))).toBe(JSON.stringify({ definition }))
  })

  // spec: segments/saved-name
  test('a segment cannot be saved with the name of another segment of its app', async () => {
    const [appId, other] = [newId(), newId()]
    const duplicate = { code: 'duplicate_name' }
    await save(appId)
    const second = await save(appId, { name: 'Second' })

    await expect(save(appId)).rejects.toMatchObject(duplicate)
    const segment = { name: 'iPhones', definition: {} }
    await expect(call(calls.replaceSegment, { appId, segmentId: second.id, segment })).rejects.toMatchObject(duplicate)
    expect((await save(other)).name).toBe('iPhones')
    expect(await call(calls.replaceSegment, { appId, segmentId: second.id, segment: { ...segment, name: 'Second' } })).toMatchObject({
      id: second.id,
    })
  })

  test('when ten requests save a segment under one name at once, one succeeds and the others are refused', async () => {
    const appId = newId()

    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => save(appId)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
    expect(refusals).toEqual(Array(9).fill(expect.objectContaining({ code: 'duplicate_name' })))
  })

  // spec: segments/saved-replace
  test('replacing a segment clears the fields that the request leaves out, and the stored count', async () => {
    const appId = newId()
    await givenDevice(db, { appId })
    const { id, createdAt } = await save(appId, { description: 'old' })
    await call(calls.countSegment, { appId, segmentId: id })
    expect(await call(calls.readSegment, { appId, segmentId: id })).toMatchObject({ lastCount: 1 })

    const replaced = await call(calls.replaceSegment, { appId, segmentId: id, segment: { name: 'New', definition: {} } })

    expect(replaced).toMatchObject({ id, name: 'New', description: null, lastCount: null, lastCountedAt: null, createdAt })
    expect(replaced.definition).toEqual({})
    expect(await call(calls.readSegment, { appId, segmentId: id })).toEqual(replaced)
  })

  // spec: segments/saved-delete
  test('a segment that was deleted, never existed or belongs to another app is not found', async () => {
    const appId = newId()
    const deleted = await save(appId)
    const theirs = await save(newId())
    await call(calls.deleteSegment, { appId, segmentId: deleted.id })

    for (const segmentId of [deleted.id, theirs.id, newId()]) {
      await expect(call(calls.readSegment, { appId, segmentId })).rejects.toMatchObject(notFound)
      await expect(call(calls.deleteSegment, { appId, segmentId })).rejects.toMatchObject(notFound)
      await expect(call(calls.countSegment, { appId, segmentId })).rejects.toMatchObject(notFound)
      const segment = { name: 'New', definition: {} }
      await expect(call(calls.replaceSegment, { appId, segmentId, segment })).rejects.toMatchObject(notFound)
      expect(await call(calls.findSegment, { appId, segmentId })).toBeNull()
    }
  })
})

describe('the list of segments', () => {
  // spec: segments/saved-list, limits/lists
  test('the list of segments begins with the newest, and its pages hold each segment once', async () => {
    const appId = newId()
    await save(newId())
    const names = Array.from({ length: 7 }, (_, place) => `Segment ${place}`)
    for (const name of names) await save(appId, { name })

    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list(appId, cursor)
      expect(page.items.length).toBeLessThanOrEqual(3)
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== null)

    const whole = await call(calls.listSegments, { appId, limit: 200 })
    expect(seen).toEqual(whole.items.map(({ id }) => id))
    expect(whole.nextCursor).toBeNull()
    expect(whole.items.map(({ name }) => name).toSorted()).toEqual(names)
    const made = whole.items.map(({ createdAt }) => createdAt)
    expect(made).toEqual(made.toSorted().toReversed())
  })
  const list = (appId: string, cursor: string | null) => call(calls.listSegments, { appId, limit: 3, ...(cursor ? { cursor } : {}) })

  // spec: limits/list-prefix
  test('the list of segments finds a part of their names in any letter case; % is ordinary', async () => {
    const appId = newId()
    for (const name of ['Übersee', 'über 30', 'Unter 30', '100% loyal']) await save(appId, { name })
    const named = async (q: string) => (await call(calls.listSegments, { appId, limit: 10, q })).items.map(({ name }) => name).toSorted()

    expect(await named('nt')).toEqual(['Unter 30'])
    expect(await named('30')).toEqual(['Unter 30', 'über 30'])
    expect(await named('über')).toEqual(['Übersee', 'über 30'].toSorted())
    expect(await named('100%')).toEqual(['100% loyal'])
    expect(await named('%')).toEqual(['100% loyal'])
    expect(await named('1_0')).toEqual([])
    expect(await named('')).toHaveLength(4)
  })

  // spec: limits/list-bytes
  test('a page of the list of segments is smaller than 512 KiB, and all pages together hold each segment once', async () => {
    const appId = newId()
    const definition = { field: 'tags.code', op: 'in', value: Array.from({ length: 200 }, (_, place) => `${place}`.padEnd(1000, 'x')) }
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await save(appId, { name, definition })

    const names: string[] = []
    let cursor: string | undefined
    do {
      const page: Awaited<ReturnType<typeof all>> = await all(appId, cursor)
      expect(JSON.stringify(page).length).toBeLessThan(524_288)
      names.push(...page.items.map(({ name }) => name))
      cursor = page.nextCursor ?? undefined
    } while (cursor)

    expect(names.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })
  const all = (appId: string, cursor: string | undefined) => call(calls.listSegments, { appId, limit: 200, ...(cursor ? { cursor } : {}) })

  test('the list of segments refuses an invalid cursor', async () => {
    await expect(call(calls.listSegments, { appId: newId(), limit: 10, cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'invalid_body',
      details: [{ path: 'cursor' }],
    })
  })
})

describe('counting the devices of a segment', () => {
  // spec: segments/preview, segments/count, identity/reachable
  test('preview and count give reachable devices by platform; without a segment, or with {}, preview counts the app', async () => {
    const appId = newId()
    await givenCrowd(db, { appId: newId(), count: 5 })
    await givenCrowd(db, { appId, count: 4 })
    await givenCrowd(db, { appId, count: 3, platform: 'android' })
    const [optedOut, dead] = await Promise.all([givenDevice(db, { appId }), givenDevice(db, { appId, platform: 'web' })])
    await db.updateTable('subscriptions').set({ opted_in: false }).where('id', '=', optedOut.id).execute()
    await db.updateTable('subscriptions').set({ invalidated_at: new Date() }).where('id', '=', dead.id).execute()

    const everyone = { count: 7, byPlatform: { ios: 4, android: 3, web: 0 } }
    expect(await call(calls.previewSegment, { appId, segment: null })).toEqual(everyone)
    expect(await call(calls.previewSegment, { appId, segment: {} })).toEqual(everyone)
    expect(await call(calls.previewSegment, { appId, segment: onIos })).toEqual({ count: 4, byPlatform: { ios: 4, android: 0, web: 0 } })
    const { id } = await save(appId)
    expect(await call(calls.countSegment, { appId, segmentId: id })).toEqual({ count: 4, byPlatform: { ios: 4, android: 0, web: 0 } })
    const counted = await call(calls.readSegment, { appId, segmentId: id })
    expect(counted.lastCount).toBe(4)
    expect(counted.lastCountedAt).toMatch(/Z$/)
  })

  // spec: segments/count-time
  test('Herald stops counting a segment after 18 seconds; the 429 says when to try again', async () => {
    const locked = Promise.withResolvers<void>()
    const { promise: refused, resolve: letGo } = Promise.withResolvers<void>()
    // While the test holds this lock on the table, no query can read a device.
    const holding = db.transaction().execute(async (trx) => {
      // Without this setting the database ends a transaction that does nothing for 5 s.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
      await sql`lock table subscriptions in access exclusive mode`.execute(trx)
      locked.resolve()
      await refused
    })
    await locked.promise
    const startedAt = performance.now()
    const counted = call(calls.previewSegment, { appId: newId(), segment: onIos })

    await expect(counted).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'The count took too long. Try again later.',
      retryAfterSeconds: 5,
    })
    expect(performance.now() - startedAt).toBeGreaterThan(17_900)
    letGo()
    await holding
    expect(await call(calls.previewSegment, { appId: newId(), segment: onIos })).toMatchObject({ count: 0 })
  })

  // spec: segments/counts-what-is-queued
  test('the count of a segment is exactly the number of devices for which a send to it queues pushes', async () => {
    const appId = newId()
    await givenCrowd(db, { appId, count: 20 })
    await givenCrowd(db, { appId, count: 10, platform: 'web' })
    await db.updateTable('users').set({ language: 'de' }).where('app_id', '=', appId).where('id', '<', '8').execute()
    const segment = { or: [{ field: 'language', op: 'eq', value: 'de' }, { not: onIos }] }

    const { count, byPlatform } = await call(calls.previewSegment, { appId, segment })
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'segment', segment })
    await fanOut(audience, { campaignId, page: 0 })

    expect(peers.lastReport(campaignId)?.byPlatform).toEqual(byPlatform)
    expect(count).toBeGreaterThan(10)
  })

  // spec: segments/meaning-errors, segments/error-path, segments/saved-stale
  test('preview and count answer an invalid segment with invalid_segment and its faulty path; preview an array with invalid_body', async () => {
    const appId = newId()
    const faulty = { and: [onIos, { field: 'sessionCount', op: 'near', value: 3 }] }
    const details = (path: string) => ({ code: 'invalid_segment', details: [{ path }] })

    await expect(call(calls.previewSegment, { appId, segment: faulty })).rejects.toMatchObject(details('segment.and.1.op'))
    await expect(call(calls.previewSegment, { appId, segment: [] })).rejects.toMatchObject({ code: 'invalid_body' })
    const { id } = await save(appId)
    await db
      .updateTable('segments')
      .set({ definition: JSON.stringify(faulty) })
      .where('id', '=', id)
      .execute()
    await expect(call(calls.countSegment, { appId, segmentId: id })).rejects.toMatchObject(details('definition.and.1.op'))
  })
})
