import { Herald } from '@herald/node'
import { listAll } from './list-all.ts'
import { readSettings, type Settings } from './settings.ts'
import type { Terminal } from './terminal.ts'
import { appOfKey, kindOf } from './token.ts'
import { UsageError } from './usage-error.ts'

export type App = { id: string; name: string }

/** A client of Herald with the address and token of the settings, and the app that a command is about. */
export type Connection = {
  herald: Herald
  url: string
  /** True when the token is the administration token or an administration key, false when it is a secret key of an app. */
  isAdministration: boolean
  /** Gives the path of the app's operations, `/v1/admin/apps/<id>`. Fails for a secret key, or when not exactly one app is meant. */
  appPath: () => Promise<string>
}

export const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text)

/** Makes a client from the settings. `app` is the value of the option `--app`. Throws a UsageError when a setting is missing or cannot be right. */
export function connect(terminal: Terminal, app?: string, settings: Settings = readSettings(terminal.env)): Connection {
  const herald = openHerald(settings)
  const isAdministration = kindOf(settings.token) !== 'secret key'
  let found: Promise<string> | undefined
  return {
    herald,
    url: settings.url,
    isAdministration,
    appPath() {
      if (!isAdministration)
        throw new UsageError(
          'This needs an administration key or the administration token: a secret key opens `herald send` alone. Run `herald login`.',
        )
      found ??= findApp(herald, app ?? settings.app, appOfKey(settings.token)).then(({ id }) => `/v1/admin/apps/${id}`)
      return found
    },
  }
}

/** Makes a client. Throws a UsageError when the address or the token cannot be right. */
export function openHerald({ url, token }: Settings): Herald {
  try {
    return new Herald({ baseUrl: url, key: token })
  } catch (error) {
    const message =
      error instanceof Error ? error.message.replace('Herald: baseUrl', `the address ${url}`).replace('Herald: key', 'the token') : ''
    throw new UsageError(message)
  }
}

/** Lists the apps, at most 1,000. */
export const listApps = (herald: Herald): Promise<App[]> => listAll(herald, '/v1/admin/apps', 1_000)

async function findApp(herald: Herald, wanted: string | undefined, ofKey: string | undefined): Promise<App> {
  if (ofKey !== undefined && wanted !== undefined && isId(wanted) && wanted !== ofKey)
    throw new UsageError(`The administration key is one of the app ${ofKey}, and opens nothing of the app ${wanted}.`)
  if (wanted !== undefined && isId(wanted)) return { id: wanted, name: wanted }
  const apps = await listApps(herald)
  const [only, ...others] = wanted === undefined ? apps : apps.filter(({ name }) => name === wanted)
  if (only && others.length === 0) return only
  const known = (only ? [only, ...others] : apps).slice(0, 20).map(({ id, name }) => `  ${id}  ${name}`)
  const what =
    wanted === undefined ? 'Which app? Name it with --app or HERALD_APP' : `${only ? 'Several apps have' : 'No app has'} the name ${wanted}`
  throw new UsageError(`${what}:\n${known.join('\n') || '  (there is no app yet)'}`)
}
