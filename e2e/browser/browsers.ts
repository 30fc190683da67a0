import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { chromium, type BrowserContext } from 'playwright-core'
import { launch, type Browser } from 'puppeteer-core'

/** The browsers of the tests, by the name of their Debian package. HERALD_CHROMIUM and HERALD_FIREFOX name other ones. */
const names = {
  chromium: { variable: 'HERALD_CHROMIUM', commands: ['chromium', 'chromium-browser', 'google-chrome'] },
  'firefox-esr': { variable: 'HERALD_FIREFOX', commands: ['firefox-esr', 'firefox'] },
}

const onPath = (command: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .concat('/usr/bin')
    .map((folder) => join(folder, command))
    .find((path) => existsSync(path))

const find = ({ variable, commands }: (typeof names)['chromium']): string | undefined =>
  process.env[variable] ?? commands.map(onPath).find((path) => path !== undefined)

/** Where a browser is. On Debian root gets it by apt-get, once; elsewhere this says what to install. */
export function browserPath(name: keyof typeof names): string {
  const wanted = names[name]
  const found = find(wanted)
  if (found !== undefined) return found
  const isDebian = existsSync('/etc/os-release') && /debian/i.test(readFileSync('/etc/os-release', 'utf8'))
  if (isDebian && process.getuid?.() === 0) {
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', name]]) {
      execFileSync('apt-get', args, { env: environment, stdio: 'ignore', timeout: 600_000 })
    }
  }
  const installed = find(wanted)
  if (installed === undefined) {
    throw new Error(
      `The browser tests need ${wanted.commands.join(' or ')}. Install it (Debian: apt-get install ${name}) or set ${wanted.variable} to its path.`,
    )
  }
  return installed
}

/** A folder for a browser's profile, gone at the end of the test file. */
export function freshProfile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'herald-browser-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Headless Chromium on a profile of its own. `origins` are those that may notify. Closed at the end of the test file. */
export async function openChromium({ profile = freshProfile(), origins = [] as string[] } = {}): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browserPath('chromium'),
    headless: true,
    viewport: { width: 1280, height: 800 },
    chromiumSandbox: false,
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
 * Headless Firefox whose push service is at `pushService` (autopush.ts). Notifications are allowed everywhere and are windows of its own,
 * which a test can click (alerts.ts). Closed at the end of the test file.
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
      // Without a push service of ours there is none: nothing leaves this machine.
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
