import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { pooledName, poolSettings } from './postgres.ts'

const ini = readFileSync(resolve(import.meta.dirname, '../../../deploy/pgbouncer/pgbouncer.ini'), 'utf8')

// spec: running/pooler
test.each(Object.entries(pooledName))('deploy/pgbouncer sets for %s what a session of Herald has', (pool, suffix) => {
  const [, query = ''] = new RegExp(`^herald${suffix} = .*connect_query='([^']*)'$`, 'm').exec(ini) ?? []
  const set = Object.fromEntries(
    query.split('; ').map((one) => /^set (\w+) = (\S+)$/.exec(one)?.slice(1) ?? [one, '']) as [string, string][],
  )
  expect(set).toEqual(poolSettings[pool as keyof typeof poolSettings])
})
