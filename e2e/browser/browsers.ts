import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { chromium, type BrowserContext } from 'playwright-core'
import { launch, type Browser } from 'puppeteer-core'
import { browserPath } from './browser-path.ts'

/** Makes a folder for a browser's profile, which is deleted at the end of the test file. */
export function freshProfile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'herald-browser-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** The argument of Playwright that hides scrollbars. Pages are opened without it, and so are as narrow as an operator sees them. */
export const hidesScrollbars = ['--hide-scrollbars']

/** Opens a headless Chromium with its own profile, until the end of the test file. Pages of `origins` may show notifications. */
export async function openChromium({ profile = freshProfile(), origins = [] as string[] } = {}): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browserPath('chromium'),
    headless: true,
    viewport: { width: 1280, height: 800 },
    chromiumSandbox: false,
    ignoreDefaultArgs: hidesScrollbars,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    timeout: 120_000,
  })
  for (const origin of origins) await context.grantPermissions(['notifications'], { origin })
  atEnd(() => context.close())
  return context
}

/**
 * Opens a headless Firefox with the push service at `pushService` (autopush.ts), until the end of the test file. Every page may show notifications.
 * The notifications are windows of Firefox, which a test can click (alerts.ts).
 */
export async function openFirefox({
  profile = freshProfile(),
  pushService,
  preferences = {},
}: {
  profile?: string
  pushService?: string
  preferences?: Record<string, unknown>
} = {}): Promise<Browser> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: browserPath('firefox-esr'),
    headless: true,
    userDataDir: profile,
    args: ['--remote-allow-system-access'],
    timeout: 120_000,
    protocolTimeout: 120_000,
    extraPrefsFirefox: {
      // Without `pushService` Firefox has no push service, so that nothing leaves this machine.
      'dom.push.connection.enabled': pushService !== undefined,
      'dom.push.enabled': true,
      'dom.push.serverURL': pushService ?? 'ws://127.0.0.1:9/',
      'dom.push.testing.allowInsecureServerURL': true,
      'permissions.default.desktop-notification': 1,
      'alerts.useSystemBackend': false,
      'dom.webnotifications.requireinteraction.enabled': true,
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
      ...preferences,
    },
  })
  atEnd(() => browser.close())
  return browser
}
