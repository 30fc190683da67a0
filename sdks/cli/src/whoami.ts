import { HeraldError, type Herald } from '@herald/node'
import { connect, listApps } from './connection.ts'
import { listAll } from './list-all.ts'
import { printable } from './printable.ts'
import { readSettings } from './settings.ts'
import type { Terminal } from './terminal.ts'
import { appOfKey, kindOf, type TokenKind } from './token.ts'

type AdminKey = { id: string; name: string; scopes: string[]; hint: string }
type Identity = {
  url: string
  version: string | null
  token: TokenKind
  /** The app of a key; for the administration token the app that commands are about, null when none is set. */
  app: { id: string | null; name: string | null } | null
  /** The name and scopes of an administration key; null when the token is none, or lacks the scope read. */
  key: { name: string; scopes: string[] } | null
}

/** Says which Herald the commands talk to, and with which token. Gives the exit code: 1 when Herald does not take the token. */
export async function whoami(terminal: Terminal, { json = false }: { json?: boolean }): Promise<number> {
  const settings = readSettings(terminal.env)
  const { herald, url } = connect(terminal, undefined, settings)
  const token = kindOf(settings.token)
  const identity: Identity = { url, version: null, token, app: null, key: null }
  if (token === 'secret key') {
    // Asking for the Web Push key needs no scope. For an app without Web Push the answer is 404, which shows too that Herald takes the key.
    await herald.webPushKey().catch(unless('not_found'))
    identity.app = { id: /^sk_live_([0-9a-f]{24})_/.exec(settings.token)?.[1] ?? null, name: null }
  } else {
    const apps = await listApps(herald)
    const wanted = appOfKey(settings.token) ?? settings.app
    const app = apps.find(({ id, name }) => id === wanted || name === wanted)
    identity.app = app ? { id: app.id, name: app.name } : null
    const system = await herald.request<{ version: string }>('GET', '/v1/admin/system').catch(unless('forbidden'))
    identity.version = system?.version ?? null
    if (token === 'administration key' && app) identity.key = await findKey(herald, app.id, settings.token)
  }
  if (json) terminal.out(JSON.stringify(identity))
  else for (const line of linesOf(identity)) terminal.out(line)
  return 0
}

const unless = (code: 'not_found' | 'forbidden') => (error: unknown) => {
  if (!(error instanceof HeraldError && error.is(code))) throw error
  return undefined
}

/** Finds the key in the list of the app's keys by its last four characters. Gives null when the key lacks the scope read, or another ends alike. */
async function findKey(herald: Herald, appId: string, token: string): Promise<Identity['key']> {
  const keys = await listAll<AdminKey>(herald, `/v1/admin/apps/${appId}/admin-keys`).catch(unless('forbidden'))
  const [only, other] = (keys ?? []).filter(({ hint }) => token.endsWith(hint))
  return only && !other ? { name: only.name, scopes: only.scopes } : null
}

function linesOf({ url, version, token, app, key }: Identity): string[] {
  const line = (what: string, text: string) => `${what.padEnd(8)}${text}`
  const named = app && [app.name === null ? '' : printable(app.name), app.id === null ? '' : `(${app.id})`].join(' ').trim()
  return [
    line('Herald', `${url}${version === null ? '' : `, version ${printable(version)}`}`),
    line('token', key ? `${token} "${printable(key.name)}"` : token),
    line('app', named || 'none chosen: name it with --app or HERALD_APP'),
    ...(token === 'secret key' ? [line('opens', 'herald send')] : []),
    ...(token === 'administration token' ? [line('opens', 'everything')] : []),
    ...(token === 'administration key'
      ? [line('scopes', key ? key.scopes.join(', ') : 'not known: a key without the scope read cannot read its own name and scopes')]
      : []),
  ]
}
