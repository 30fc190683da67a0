import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import prepareShared from '../global-setup.ts'
import { browserPath } from './browser-path.ts'

/**
 * Runs before the first browser test: makes sure of the browsers (only Chromium for `npm test`), builds the pages, and prepares the shared Herald,
 * which tries a failed delivery again after 0.05 s.
 */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  browserPath('chromium')
  if (process.env['HERALD_TIER'] !== 'quick') browserPath('firefox-esr')
  execFileSync(process.execPath, ['tools/src/build-pages.ts'], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return prepareShared(project, { WEBHOOK_RETRY_BASE_SECONDS: '0.05' })
}
