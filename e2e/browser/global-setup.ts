import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { freshDataDir, removeDataDir, startHerald } from '@herald/testing/herald'
import type { TestProject } from 'vitest/node'
import { browserPath } from './browser-path.ts'

/**
 * Runs before the first browser test. It makes sure that both browsers are there, builds the dashboard, the SDK and the guides, and starts the Herald
 * that test files share. That Herald may post webhooks to this machine, and tries a failed delivery again after 0.05 s.
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
