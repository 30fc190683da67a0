import { HeraldError } from '@herald/node'
import { listApps, openHerald } from './connection.ts'
import { printable } from './printable.ts'
import { writeSettings, type Settings } from './settings.ts'
import type { Terminal } from './terminal.ts'
import { kindOf } from './token.ts'
import { UsageError } from './usage-error.ts'

/** Asks for the address and the token, tries them, and writes them into a file that only this user of the machine can read. */
export async function login(terminal: Terminal, options: { url?: string; app?: string }): Promise<number> {
  const asked =
    options.url ??
    terminal.env['HERALD_URL'] ??
    (terminal.isInteractive ? await terminal.ask('Address of Herald [http://127.0.0.1:8080]:') : '')
  const url = asked === '' ? 'http://127.0.0.1:8080' : asked
  const token = await terminal.askHidden('Administration key, administration token, or a secret key (it is not shown):')
  if (token === '') throw new UsageError('A token is needed: type it, or pipe it in. It is never an argument, since others can read those.')
  const settings = await check(terminal, { url, token, ...(options.app === undefined ? {} : { app: options.app }) })
  terminal.say(`Kept in ${writeSettings(terminal.env, settings)}, readable by you alone.`)
  return 0
}

async function check(terminal: Terminal, settings: Settings): Promise<Settings> {
  const herald = openHerald(settings)
  const kind = kindOf(settings.token)
  if (kind === 'secret key') {
    // Asking for the Web Push key needs no scope, so every secret key may do it. For an app without Web Push the answer is 404, which is fine here.
    await herald.webPushKey().catch((error: unknown) => {
      if (!(error instanceof HeraldError && error.is('not_found'))) throw error
    })
    terminal.say('A secret key: `herald send` works with it. The other commands need an administration key or the administration token.')
    return settings
  }
  const apps = await listApps(herald)
  const named = apps.find(({ id, name }) => id === settings.app || name === settings.app)
  if (settings.app !== undefined && !named) throw new UsageError(`There is no app ${settings.app}.`)
  const chosen = named ?? (apps.length === 1 ? apps[0] : await choose(terminal, apps))
  terminal.say(
    chosen
      ? `${kind === 'administration key' ? 'An administration key' : 'Administration'} of ${printable(chosen.name)} (${chosen.id}).`
      : 'Administration. Name the app of a command with --app or HERALD_APP.',
  )
  return { ...settings, ...(chosen ? { app: chosen.id } : {}) }
}

async function choose(terminal: Terminal, apps: { id: string; name: string }[]) {
  if (!terminal.isInteractive || apps.length === 0) return undefined
  for (const [place, { name, id }] of apps.entries()) terminal.say(`${String(place + 1).padStart(3)}  ${printable(name)} (${id})`)
  return apps[Number(await terminal.ask('Which app? Its number, or nothing for none:')) - 1]
}
