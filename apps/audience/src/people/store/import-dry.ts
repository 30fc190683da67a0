import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { KnownDevice, KnownUser, LotPlan } from '../core/import-lot.ts'
import { findDevicesAt, findUsers } from './import-devices.ts'
import { toTagSizes } from './users.ts'
import type { Db } from '../../store/tables.ts'

/*
 * A dry run writes `import_dry_rows` instead of devices and users, for later rows. Keys: `d <hash of address>` a device with owner, `n <hash of
 * external id>` an identified user, `u <id>` an anonymous one. Only hashes are stored.
 */

type State = { id: string; user?: string; name?: string | null; devices?: number; tags?: Record<string, number> }

const short = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)
const deviceKey = (key: string) => `d ${short(key)}`
const nameKey = (name: string) => `n ${name}`
const userKey = (id: string) => `u ${id}`

/** Gives the hash of an external id. A dry run plans its rows with hashes instead of external ids. */
export const hashName = (appId: string, externalId: string): string => short(`${appId} ${externalId}`)

/**
 * Finds the devices and users that rows of the file name: as this dry run has written them, or else the real ones. The external ids of the users are
 * hashes (`hashName`).
 */
export async function readWithDry(
  db: Db,
  { appId, importId, keys, names }: { appId: string; importId: string; keys: string[]; names: string[] },
): Promise<{ devices: KnownDevice[]; users: KnownUser[] }> {
  const hashed = new Map(names.map((name) => [hashName(appId, name), name]))
  const states = await load(db, importId, [...keys.map(deviceKey), ...[...hashed.keys()].map(nameKey)])

  const dryDevices = keys.flatMap((key): (KnownDevice & { name: string | null })[] => {
    const state = states.get(deviceKey(key))
    return state ? [{ id: state.id, key, userId: state.user ?? '', name: state.name ?? null }] : []
  })
  const seen = new Set(dryDevices.map(({ key }) => key))
  const real = await findDevicesAt(
    db,
    keys.filter((key) => !seen.has(key)),
    { lock: false },
  )
  const owners = [...real, ...dryDevices].map(({ userId }) => userId)
  const anonymous = dryDevices.filter(({ name }) => name === null).map(({ userId }) => userId)
  const realUsers = await findUsers(db, { appId, ids: [...new Set(owners)], names: [...new Set(names)], lock: false })

  const users = new Map<string, KnownUser>()
  for (const user of realUsers) {
    const externalId = user.externalId === null ? null : hashName(appId, user.externalId)
    users.set(user.id, { ...user, externalId })
  }
  const dryNames = [...users.values(), ...dryDevices.map(({ name }) => ({ externalId: name }))].flatMap(
    ({ externalId }) => externalId ?? [],
  )
  const more = await load(db, importId, [...dryNames.map(nameKey), ...anonymous.map(userKey)])
  for (const [key, { id, devices = 0, tags = {} }] of [...states, ...more])
    if (!key.startsWith('d '))
      users.set(id, { id, externalId: key.startsWith('n ') ? key.slice(2) : null, devices, tagSizes: toTagSizes(tags) })
  return { devices: [...real, ...dryDevices], users: [...users.values()] }
}

/** Stores which devices and users the rows would have made and changed in a real import. */
export async function writeDry(db: Db, importId: string, { devices, users, left }: LotPlan): Promise<void> {
  const changed = new Map([...left, ...users].map((user) => [user.id, user]))
  const states = [
    ...devices.map(({ id, key, userId }) => ({
      key: deviceKey(key),
      state: { id, user: userId, name: changed.get(userId)?.externalId ?? null },
    })),
    ...[...changed.values()].map(({ id, externalId, devices: count, tagSizes }) => ({
      key: externalId === null ? userKey(id) : nameKey(externalId),
      state: { id, devices: count, tags: Object.fromEntries(tagSizes) },
    })),
  ]
  if (states.length === 0) return
  await sql`
    insert into import_dry_rows (import_id, key, state)
    select ${importId}, key, state from json_to_recordset(${JSON.stringify(states)}) as given(key text, state jsonb) order by key
    on conflict (import_id, key) do update set state = excluded.state`.execute(db)
}

async function load(db: Db, importId: string, keys: string[]): Promise<Map<string, State>> {
  const { rows } = await sql<{ key: string; state: State }>`
    select key, state from import_dry_rows where import_id = ${importId} and key = any(${[...new Set(keys)]}::text[])`.execute(db)
  return new Map(rows.map(({ key, state }) => [key, state]))
}
