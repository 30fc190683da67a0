import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { appOfKey } from './token.ts'
import { UsageError } from './usage-error.ts'

/**
 * The address of Herald, and a token: the administration token, an administration key of an app, or a secret key of an app, with which only
 * `herald send` works.
 */
export type Settings = { url: string; token: string; app?: string }
type Environment = Readonly<Record<string, string | undefined>>

/** Gives the path of the settings file, below XDG_CONFIG_HOME or else below ~/.config. */
export const settingsFile = (env: Environment): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'herald', 'settings.json')

/** Replaces the settings file in one step, readable by this user of the machine only. Gives its path. */
export function writeSettings(env: Environment, settings: Settings): string {
  const file = settingsFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  // When the temporary file was left by an earlier process, writeFileSync keeps its mode, which others may be able to read.
  chmodSync(next, 0o600)
  renameSync(next, file)
  return file
}

/**
 * Reads HERALD_URL, HERALD_TOKEN and HERALD_APP, else the file of `herald login`. The file's token goes to the file's address only. An administration
 * key names its app itself. Throws a UsageError that says what is missing.
 */
export function readSettings(env: Environment): Settings {
  const kept = readFile(env)
  const url = env['HERALD_URL'] || kept?.url
  if (url === undefined) throw new UsageError('Where is Herald? Run `herald login`, or set HERALD_URL and HERALD_TOKEN.')
  const isOfFile = url === kept?.url
  const token = env['HERALD_TOKEN'] || (isOfFile ? kept?.token : undefined)
  if (token === undefined) throw new UsageError(`There is no token for ${url}. Set HERALD_TOKEN, or run \`herald login\`.`)
  const app = env['HERALD_APP'] || appOfKey(token) || (isOfFile ? kept?.app : undefined)
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
    // The error below says that the file cannot be read.
  }
  throw new UsageError(`${file} is not what \`herald login\` writes. Remove it and log in again.`)
}

/** Removes the settings file, also one that is broken or that others can read. Gives whether there was one. */
export function removeSettings(env: Environment): boolean {
  const file = settingsFile(env)
  const isThere = existsSync(file)
  rmSync(file, { force: true })
  return isThere
}
