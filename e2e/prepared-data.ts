import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@herald/embedded/postgres'
import { preparedData } from '@herald/testing/herald'
import { readCertificates } from '@herald/tools/certificates'
import { ownersOf } from '@herald/tools/apps'
import { prepareDatabase } from '@herald/tools/database'
import { readSecrets } from '@herald/tools/secrets'

/**
 * Makes a data directory as a first start leaves it, with secrets, certificates and a migrated database. Each Herald of a test starts on a copy,
 * without initdb and migrations. Gives a function that removes it.
 */
export async function prepareData(): Promise<() => void> {
  if (process.env[preparedData] !== undefined) return () => undefined
  const directory = mkdtempSync(join(tmpdir(), 'herald-prepared-'))
  readCertificates(directory, new Date())
  const { passwords } = readSecrets(directory, {})
  const dataDir = join(directory, 'postgres')
  const postgres = await startPostgres({ dataDir, durable: true, database: 'herald' })
  await prepareDatabase(ownersOf(postgres.url(), {}), passwords)
  await postgres.stop()
  // No test outlives this machine. What Postgres has committed survives its kill without these too.
  appendFileSync(join(dataDir, 'postgresql.conf'), 'fsync = off\nfull_page_writes = off\n')
  process.env[preparedData] = directory
  return () => {
    delete process.env[preparedData]
    rmSync(directory, { recursive: true, force: true })
  }
}
