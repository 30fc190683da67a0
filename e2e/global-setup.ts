import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { buildServices } from '@herald/testing/programs'
import { refusedByNats } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import type { TestProject } from 'vitest/node'
import { prepareData } from './prepared-data.ts'

/**
 * Prepares the Heralds that test files share (`sharedPlatform`), because a start costs some 20 s of CPU. Gives a function that waits for their end
 * and removes their data; it throws when NATS refused a service something.
 */
export default async function prepareShared(project: TestProject, env: Record<string, string> = {}): Promise<() => Promise<void>> {
  buildServices()
  const removePrepared = await prepareData()
  const directory = mkdtempSync(join(tmpdir(), 'herald-shared-'))
  const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2)
  const authority = join(directory, 'receiver-ca.pem')
  writeFileSync(authority, ca)
  project.provide('shared', {
    directory,
    env: { LOG_LEVEL: 'info', NODE_EXTRA_CA_CERTS: authority, WEBHOOK_ALLOW_PRIVATE: 'true', ...env },
  })
  project.provide('receiver', { certificate, privateKey })
  return async () => {
    const dataDirs = readdirSync(directory)
      .filter((name) => name.startsWith('herald-e2e-'))
      .map((name) => join(directory, name))
    await until(() => dataDirs.every((dataDir) => !existsSync(join(dataDir, 'herald.pid'))), { what: 'the end of the shared Heralds' })
    const refused = dataDirs.map(refusedByNats).join('')
    rmSync(directory, { recursive: true, force: true })
    removePrepared()
    if (refused !== '') throw new Error(refused)
  }
}
