import { randomBytes } from 'node:crypto'
import pg from 'pg'

/**
 * Makes each service's schema and login role (`<database>_<app>`, as roles belong to the whole server), and gives each service's address. A role
 * reaches its own schema alone. May run again, also at once. An error names missing grants.
 */
export async function provision({
  ownerUrl,
  apps,
  passwords,
}: {
  ownerUrl: string
  apps: readonly string[]
  passwords: Record<string, string>
}): Promise<Record<string, string>> {
  const owner = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000, application_name: 'herald-provision' })
  await owner.connect()
  try {
    await owner.query('select pg_advisory_lock($1)', [lockNumber])
    const { rows } = await owner.query<{ database: string; owner: string }>('select current_database() as database, current_user as owner')
    const { database = '', owner: ownerName = '' } = rows[0] ?? {}
    const urls: Record<string, string> = {}
    for (const app of apps) {
      const role = `${database}_${app}`
      const password = passwords[app] ?? randomBytes(18).toString('base64url')
      await makeRole(owner, { role, password, ownerName })
      await owner.query(`create schema if not exists ${quote(app)} authorization ${quote(role)}`)
      await owner.query(`alter role ${quote(role)} set search_path = ${quote(app)}`)
      const url = new URL(ownerUrl)
      url.username = encodeURIComponent(role)
      url.password = encodeURIComponent(password)
      urls[app] = url.href
    }
    await owner.query(`revoke create on schema public from public`).catch(() => undefined)
    await closeOtherDatabases(owner)
    return urls
  } finally {
    await owner.end()
  }
}

/**
 * Makes a service's schema with the service's own role, where somebody else makes the roles (spec: running/given-roles). Throws when the schema belongs
 * to another role, or this one may not make it.
 */
export async function makeOwnSchema({ url, app }: { url: string; app: string }): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: 'herald-provision' })
  await client.connect()
  try {
    const { rows } = await client.query<{ role: string; owner: string | null; mayMake: boolean }>(
      `select current_user as role, (select nspowner::regrole::text from pg_namespace where nspname = $1) as owner,
        has_database_privilege(current_database(), 'create') as "mayMake"`,
      [app],
    )
    const { role = '', owner = null, mayMake = false } = rows[0] ?? {}
    const how = `create schema ${app} authorization ${quote(role)};`
    if (owner === null && !mayMake)
      throw new Error(`The role "${role}" may not make the schema "${app}". Let an owner of the database run: ${how}`)
    if (owner === null) await client.query(`create schema ${quote(app)}`)
    else if (owner !== role && owner !== quote(role))
      throw new Error(`The schema "${app}" belongs to "${owner}", and the address of ${app} has the role "${role}".`)
    await client.query(`alter role current_user set search_path = ${quote(app)}`)
  } finally {
    await client.end()
  }
}

/**
 * Takes the right to connect to `postgres` and `template1` from every role but superusers, so that a service reaches Herald's database alone. Changes
 * nothing where other roles log in or the owner may not do this.
 */
async function closeOtherDatabases(owner: pg.Client): Promise<void> {
  const { rows: others } = await owner.query(`
    select from pg_roles role
    where rolcanlogin and not rolsuper and rolname <> current_user
      and not exists (select from pg_auth_members where roleid = role.oid and member = current_user::regrole)
    limit 1`)
  if (others.length > 0) return
  const { rows } = await owner.query<{ name: string }>(`
    select datname as name from pg_database
    where datname in ('postgres', 'template1') and datname <> current_database() and has_database_privilege('public', datname, 'connect')`)
  for (const { name } of rows) await owner.query(`revoke connect on database ${quote(name)} from public`).catch(() => undefined)
}

/** The number of the lock. Any number would do, as long as every process of Herald uses the same. */
const lockNumber = 48_151_623

async function makeRole(
  owner: pg.Client,
  { role, password, ownerName }: { role: string; password: string; ownerName: string },
): Promise<void> {
  const name = quote(role)
  const secret = pg.escapeLiteral(password)
  try {
    const { rowCount } = await owner.query('select 1 from pg_roles where rolname = $1', [role])
    await owner.query(rowCount ? `alter role ${name} login password ${secret}` : `create role ${name} login password ${secret}`)
    // To make a schema for a role, and to migrate as that role, the owner must be a member of it.
    await owner.query(`grant ${name} to ${quote(ownerName)}`)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code !== '42501') throw error
    throw new Error(
      `The role "${ownerName}" of DATABASE_URL may not make the role "${role}". Give it the right: alter role ${quote(ownerName)} createrole; ` +
        `and: grant create on database … to ${quote(ownerName)};`,
      { cause: error },
    )
  }
}

const quote = (name: string): string => pg.escapeIdentifier(name)
