import type { AppWithDatabase } from '@herald/contracts/call'
import pg from 'pg'
import { inject } from 'vitest'
import { atEnd } from './at-end.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The owner's address of the server's maintenance database. */
    ownerUrl: string
    /** Each app's address in the migrated template database, with its role and password. */
    templateUrls: Record<string, string>
  }
}

/**
 * A database of this test file's own, cloned from the migrated template (60-70 ms), dropped when the file is done.
 * `url(app)` is that app's own address: its role, its schema, nobody else's tables. `ownerUrl` is the owner's.
 */
export async function freshDatabase(): Promise<{ url: (app: AppWithDatabase) => string; ownerUrl: string }> {
  const name = `t_${crypto.randomUUID().replaceAll('-', '')}`
  const owner = new pg.Client({ connectionString: inject('ownerUrl') })
  await owner.connect()
  await owner.query(`create database ${name} template template_herald strategy file_copy`)
  await owner.end()
  atEnd(async () => {
    const again = new pg.Client({ connectionString: inject('ownerUrl') })
    await again.connect()
    await again.query(`drop database if exists ${name} with (force)`)
    await again.end()
  })
  const inDatabase = (address: string) => {
    const url = new URL(address)
    url.pathname = `/${name}`
    return url.href
  }
  return { url: (app) => inDatabase(inject('templateUrls')[app] ?? ''), ownerUrl: inDatabase(inject('ownerUrl')) }
}
