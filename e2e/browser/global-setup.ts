import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { browserPath } from './browser-path.ts'

/** Before the first browser test: both browsers are there, and dashboard, SDK and guides are built from the sources as they are. */
export default function setup(): void {
  browserPath('chromium')
  browserPath('firefox-esr')
  execFileSync(process.execPath, ['tools/src/build-pages.ts'], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
