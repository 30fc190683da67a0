import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { freshDataDir, removeDataDir, startHerald } from '@herald/testing/herald'
import type { TestProject } from 'vitest/node'

/**
 * Runs before the first test file. It starts the Heralds that test files share, one for each process that runs files: starting one costs some 20 s of CPU
 * time, more than most files need for their tests. These Heralds may post webhooks to this machine. Gives a function that stops them, which fails
 * when NATS has refused a service something.
 */
export default async function startShared(project: TestProject, env: Record<string, string> = {}): Promise<() => Promise<void>> {
  const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2)
  const started = await Promise.all(
    Array.from({ length: project.config.maxWorkers }, async () => {
      const dataDir = freshDataDir()
      const authority = join(dataDir, 'receiver-ca.pem')
      writeFileSync(authority, ca)
      return startHerald({ dataDir, env: { LOG_LEVEL: 'info', NODE_EXTRA_CA_CERTS: authority, WEBHOOK_ALLOW_PRIVATE: 'true', ...env } })
    }),
  )
  project.provide(
    'platforms',
    started.map(({ baseUrl, adminToken, dataDir, simulator }) => ({ baseUrl, adminToken, dataDir, simulator })),
  )
  project.provide('receiver', { certificate, privateKey })
  return async () => {
    await Promise.all(started.map((herald) => herald.stop()))
    for (const { dataDir } of started) removeDataDir(dataDir)
  }
}
