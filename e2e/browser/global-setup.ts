import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { freshDataDir, removeDataDir, startHerald } from '@herald/testing/herald'
import type { TestProject } from 'vitest/node'
import { browserPath } from './browser-path.ts'

/**
 * Before the first browser test: both browsers are there, dashboard, SDK and guides are built from the sources as they are, and the shared
 * platform runs. It may post webhooks to this machine, and tries a failed delivery again after a twentieth of a second.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  browserPath('chromium')
  browserPath('firefox-esr')
  execFileSync(process.execPath, ['tools/src/build-pages.ts'], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const dataDir = freshDataDir()
  const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2)
  const authority = join(dataDir, 'receiver-ca.pem')
  writeFileSync(authority, ca)
  const env = { NODE_EXTRA_CA_CERTS: authority, WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_RETRY_BASE_SECONDS: '0.05' }
  const herald = await startHerald({ dataDir, env })
  const { baseUrl, adminToken, simulator } = herald
  project.provide('platform', { baseUrl, adminToken, dataDir, simulator })
  project.provide('receiver', { certificate, privateKey })
  return async () => {
    await herald.stop()
    removeDataDir(dataDir)
  }
}
