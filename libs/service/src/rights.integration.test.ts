import { appsWithDatabase } from '@herald/contracts/call'
import { atEnd } from '@herald/testing/at-end'
import { freshDatabase } from '@herald/testing/database'
import pg from 'pg'
import { expect, test } from 'vitest'

const { url, ownerUrl } = await freshDatabase()

async function open(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  atEnd(() => client.end())
  return client
}
const owner = await open(ownerUrl)
/** Everything in the schemas of the services that can be read, written or called. */
const things = (
  await owner.query<{ schema: string; name: string; kind: 'table' | 'sequence' | 'function' }>(
    `select nspname as schema, quote_ident(nspname) || '.' || quote_ident(relname) as name, case relkind when 'S' then 'sequence' else 'table' end as kind
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = any($1) and relkind in ('r', 'p', 'v', 'm', 'S')
     union all
     select nspname, pg_proc.oid::regprocedure::text, 'function' from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
     where nspname = any($1)`,
    [appsWithDatabase],
  )
).rows
const attempts = {
  table: (name: string) => [
    `select from ${name} limit 0`,
    `insert into ${name} default values`,
    `delete from ${name} where false`,
    `truncate ${name}`,
    `lock table ${name}`,
    `create trigger intruder before insert on ${name} execute function suppress_redundant_updates_trigger()`,
    `alter table ${name} owner to current_user`,
    `drop table ${name}`,
  ],
  sequence: (name: string) => [`select nextval('${name}')`, `select setval('${name}', 1)`, `drop sequence ${name}`],
  function: (name: string) => [`alter function ${name} owner to current_user`, `drop function ${name}`],
}

/** Gives the statements that did not fail for lack of a right (insufficient_privilege, 42501), and why. */
async function notRefused(client: pg.Client, statements: readonly string[]): Promise<string[]> {
  const open: string[] = []
  for (const statement of statements) {
    // Each is undone, so that one that works has no effect on the next.
    await client.query('begin')
    const code = await client.query(statement).then(
      () => 'done',
      (error: { code?: string }) => String(error.code),
    )
    await client.query('rollback')
    if (code !== '42501') open.push(`${code}: ${statement}`)
  }
  return open
}

// spec: running/secrets-apart
test.each(appsWithDatabase)('Postgres refuses the service %s every table, sequence and function of every other service', async (app) => {
  const foreign = things.filter(({ schema }) => schema !== app)
  const statements = [
    ...foreign.flatMap(({ name, kind }) => attempts[kind](name)),
    ...appsWithDatabase
      .filter((other) => other !== app)
      .flatMap((other) => [
        `create table ${other}.intruder ()`,
        `create function ${other}.intruder() returns int language sql as 'select 1'`,
        `drop schema ${other} cascade`,
        `grant usage on schema ${other} to current_user`,
      ]),
  ]
  expect(statements.length).toBeGreaterThan(50)
  expect(await notRefused(await open(url(app)), statements)).toEqual([])
})

// spec: running/secrets-apart, running/database-alone
test.each(appsWithDatabase)(
  'Postgres refuses the service %s what belongs to the server: roles, files, programs, settings, other databases',
  async (app) => {
    const client = await open(url(app))
    const { rows } = await client.query<{ me: string; database: string }>('select current_user as me, current_database() as database')
    const { me = '', database = '' } = rows[0] ?? {}
    const others = appsWithDatabase.filter((other) => other !== app).map((other) => me.replace(new RegExp(`${app}$`), other))
    const statements = [
      ...others.flatMap((role) => [
        `set role ${role}`,
        `alter role ${role} password 'x'`,
        `grant ${role} to ${me}`,
        `drop owned by ${role}`,
      ]),
      'set session authorization postgres',
      `create role intruder`,
      `alter role ${me} superuser`,
      `alter role ${me} createrole`,
      `alter role ${me} bypassrls`,
      'create schema intruder',
      'create table public.intruder ()',
      `alter database ${database} set log_statement = 'all'`,
      'create extension dblink',
      'select * from pg_authid',
      `select pg_read_file('/etc/passwd')`,
      `select pg_ls_dir('/')`,
      `select lo_import('/etc/passwd')`,
      `copy (select 1) to program 'true'`,
      `copy (select 1) to '/tmp/intruder'`,
      `create function intruder() returns int language c as 'x'`,
      'select pg_reload_conf()',
      "load '$libdir/../x'",
    ]
    expect(await notRefused(client, statements)).toEqual([])
    // These two cannot be part of a transaction.
    for (const statement of ['create database intruder', 'alter system set fsync = off'])
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' })
    for (const elsewhere of ['postgres', 'template1']) {
      const address = new URL(url(app))
      address.pathname = `/${elsewhere}`
      await expect(open(address.href)).rejects.toMatchObject({ code: '42501' })
    }
  },
)
