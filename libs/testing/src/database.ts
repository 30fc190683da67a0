import type { AppWithDatabase } from '@herald/contracts/call'
import pg from 'pg'
import { inject } from 'vitest'
import { atEnd } from './at-end.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The owner's address of the server's maintenance database. */
    ownerUrl: string
    /** Each service's address in the migrated template database, with its role and password. */
    templateUrls: Record<string, string>
  }
}

/**
 * Makes a database for this test file as a copy of the migrated template (60-70 ms), dropped at its end. `url(app)` has the service's role and
 * schema. `cutOff` refuses connections until the function that it gives is called.
 */
export async function freshDatabase(): Promise<{
  url: (app: AppWithDatabase) => string
  ownerUrl: string
  cutOff: () => Promise<() => Promise<void>>
}> {
  const name = `t_${crypto.randomUUID().replaceAll('-', '')}`
  await asOwner(`create database ${name} template template_herald strategy file_copy`)
  atEnd(() => asOwner(`drop database if exists ${name} with (force)`))
  const inDatabase = (address: string) => {
    const url = new URL(address)
    url.pathname = `/${name}`
    return url.href
  }
  const cutOff = async () => {
    await asOwner(
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
    return () => asOwner(`alter database ${name} allow_connections true`)
  }
  return { url: (app) => inDatabase(inject('templateUrls')[app] ?? ''), ownerUrl: inDatabase(inject('ownerUrl')), cutOff }
}

async function asOwner(...statements: string[]): Promise<void> {
  const owner = new pg.Client({ connectionString: inject('ownerUrl') })
  await owner.connect()
  for (const statement of statements) await owner.query(statement)
  await owner.end()
}
