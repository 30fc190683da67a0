import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { buildServices } from '@herald/testing/programs'
import { refusedByNats } from '@herald/testing/herald'
import { until } from '@herald/testing/until'
import type { TestProject } from 'vitest/node'

/**
 * Prepares the Heralds that test files share (`sharedPlatform`), because starting a Herald costs some 20 s of CPU time, more than most files need for
 * their tests. These Heralds may post webhooks to this machine. Gives a function that waits until they have ended and removes their data. The
 * function throws when NATS has refused one of their services something.
 */
export default function prepareShared(project: TestProject, env: Record<string, string> = {}): () => Promise<void> {
  buildServices()
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
      .filter((name) => name.startsWith('herald-'))
      .map((name) => join(directory, name))
    await until(() => dataDirs.every((dataDir) => !existsSync(join(dataDir, 'herald.pid'))), { what: 'the end of the shared Heralds' })
    const refused = dataDirs.map(refusedByNats).join('')
    rmSync(directory, { recursive: true, force: true })
    if (refused !== '') throw new Error(refused)
  }
}
