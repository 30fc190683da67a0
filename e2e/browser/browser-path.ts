import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The browsers of the tests, by the names of their Debian packages. HERALD_CHROMIUM and HERALD_FIREFOX set other paths. */
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

/**
 * Gives the path of a browser. When it is missing, root on Debian installs it with apt-get; otherwise the function throws and says what to install.
 */
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
