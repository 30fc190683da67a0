import * as calls from '@herald/contracts/calls/audience'
import { Fault } from '@herald/contracts/fault'
import { StartImport, type ImportedDevice, type ImportLot } from '@herald/contracts/import'
import type { Bus } from '@herald/service/bus'
import { sql } from 'kysely'
import { registerSubscription } from '../people/register-subscription.ts'
import type { Db } from '../store/tables.ts'

/** Makes functions that import devices as the gateway does, register a device, and read the tables. */
export function openImports({ db, bus }: { db: Db; bus: Pick<Bus, 'call'> }) {
  const start = (appId: string, settings: Partial<StartImport> = {}) =>
    bus.call(calls.startImport, { appId, settings: StartImport.parse({ format: 'jsonl', ...settings }) })
  const reportOf = async (appId: string, importId: string) => (await bus.call(calls.readImport, { appId, importId })).report
  const finish = async (appId: string, importId: string) =>
    bus.call(calls.finishImport, { appId, importId, offset: (await reportOf(appId, importId)).offset })

  /** Imports devices, `perLot` in each lot (group of rows), and finishes the import. */
  async function importAll(appId: string, devices: ImportedDevice[], settings: Partial<StartImport> = {}, perLot = 500) {
    const { id } = await start(appId, settings)
    for (let from = 0; from < devices.length; from += perLot)
      await bus.call(calls.importLot, { appId, importId: id, lot: lotOf(devices.slice(from, from + perLot), from) })
    return finish(appId, id)
  }

  const register = (appId: string, token: string, more: object = {}) =>
    registerSubscription({ db }, { appId, subscription: { platform: 'android', token, ...more } })

  /** Reads all devices and users of an app, without ids, in an order that does not depend on ids. */
  async function contentOf(appId: string) {
    const { rows } = await sql<Record<string, unknown>>`
      select s.address, s.platform, s.p256dh, s.auth, s.opted_in, s.session_count, s.last_session_at, s.app_version, s.os_version, s.device_model,
        s.created_at, s.last_active_at, s.registered_at, s.invalidated_at, s.token_version,
        u.external_id, u.tags, u.language, u.timezone, u.country, u.created_at as user_created_at, u.last_active_at as user_active_at, u.by_backend,
        (select count(*) from subscriptions o where o.user_id = u.id) as devices
      from users u left join subscriptions s on s.user_id = u.id where u.app_id = ${appId}
      order by s.address, u.external_id`.execute(db)
    return rows
  }
  const deviceAt = (appId: string, token: string) =>
    db.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).where('address', '=', token).executeTakeFirstOrThrow()
  const userNamed = (appId: string, externalId: string) =>
    db.selectFrom('users').selectAll().where('app_id', '=', appId).where('external_id', '=', externalId).executeTakeFirst()

  return { start, reportOf, finish, importAll, register, contentOf, deviceAt, userNamed }
}

/** Makes a lot (group of rows) as the gateway does, as if each row had ten bytes. */
export const lotOf = (devices: ImportedDevice[], from = 0, change: Partial<ImportLot> = {}): ImportLot => ({
  offset: from * 10,
  nextOffset: (from + devices.length) * 10,
  firstRow: from + 1,
  rows: devices.map((device, index) => ({ row: from + index + 1, device })),
  rejected: [],
  warnings: {},
  columnOf: { externalId: 'customer', tags: 'labels' },
  ...change,
})

export const phone = (token: string, more: Partial<ImportedDevice> = {}): ImportedDevice =>
  ({ platform: 'android', token, ...more }) as ImportedDevice
export const many = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index))

export const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (Fault.is(error) ? { code: error.code, details: error.details } : error),
  )

/** Gives a generator of numbers below a bound. The same seed gives the same numbers. */
function openRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/**
 * Makes many rows about a few devices and a few users, so that rows often concern the same device or user. Each row has `createdAt` and
 * `lastActiveAt`.
 */
export function crowdedRows(seed: number, count: number): ImportedDevice[] {
  const random = openRandom(seed)
  const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString()
  return many(count, () => {
    const created = random(100)
    return phone(`token-${random(25)}`, {
      ...(random(4) > 0 && { externalId: `person-${random(8)}` }),
      ...(random(2) > 0 && { tags: { [`tag-${random(4)}`]: random(5), shared: `by ${random(9)}` } }),
      ...(random(3) === 0 && { language: ['de', 'en', 'fr'][random(3)] ?? 'de' }),
      ...(random(3) === 0 && { country: ['DE', 'AT'][random(2)] ?? 'DE' }),
      ...(random(3) === 0 && { appVersion: `1.${random(9)}` }),
      ...(random(5) === 0 && { optedIn: false }),
      sessionCount: random(50),
      createdAt: day(created),
      lastActiveAt: day(created + random(100)),
    })
  })
}
