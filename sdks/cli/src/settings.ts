import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from './usage-error.ts'

/** The address of Herald and the token for it: the administration token, or a secret key, which is enough for `send`. */
export type Settings = { url: string; token: string; app?: string }
type Environment = Readonly<Record<string, string | undefined>>

/** The file of settings: below XDG_CONFIG_HOME, else below ~/.config. */
export const settingsFile = (env: Environment): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'herald', 'settings.json')

/** Writes the settings so that nobody else on this machine can read them, in one step. */
export function writeSettings(env: Environment, settings: Settings): string {
  const file = settingsFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  // A file that existed already would keep its mode.
  chmodSync(next, 0o600)
  renameSync(next, file)
  return file
}

/**
 * What HERALD_URL, HERALD_TOKEN and HERALD_APP say, else the file of `herald login`. The token of the file goes to the address of the file alone:
 * another HERALD_URL needs a HERALD_TOKEN of its own. Throws a UsageError that says what is missing.
 */
export function readSettings(env: Environment): Settings {
  const kept = readFile(env)
  const url = env['HERALD_URL'] || kept?.url
  if (url === undefined) throw new UsageError('Where is Herald? Run `herald login`, or set HERALD_URL and HERALD_TOKEN.')
  const isOfFile = url === kept?.url
  const token = env['HERALD_TOKEN'] || (isOfFile ? kept?.token : undefined)
  if (token === undefined) throw new UsageError(`There is no token for ${url}. Set HERALD_TOKEN, or run \`herald login\`.`)
  const app = env['HERALD_APP'] || (isOfFile ? kept?.app : undefined)
  return { url, token, ...(app === undefined ? {} : { app }) }
}

function readFile(env: Environment): Settings | undefined {
  const file = settingsFile(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new UsageError(`Others on this machine can read ${file}, which holds a token. Run: chmod 600 ${file}`)
  try {
    const { url, token, app } = JSON.parse(text) as Partial<Settings>
    if (typeof url === 'string' && typeof token === 'string') return { url, token, ...(typeof app === 'string' ? { app } : {}) }
  } catch {
    // Said below.
  }
  throw new UsageError(`${file} is not what \`herald login\` writes. Remove it and log in again.`)
}
