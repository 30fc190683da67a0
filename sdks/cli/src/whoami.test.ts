import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from './main.ts'
import { writeSettings } from './settings.ts'
import { givenHerald } from './testing/given-herald.ts'
import { givenTerminal } from './testing/given-terminal.ts'

const app = { id: '671a2b3c4d5e6f7081920a06', name: 'Shop' }
const other = '671a2b3c4d5e6f7081920a05'
const key = `ak_live_${app.id}_planted-secret-c3d4`
const forbidden = (scope: string) => ({
  status: 403,
  body: { error: { code: 'forbidden', message: `The administration key does not have the scope ${scope}.` } },
})
const apps = { 'GET /v1/admin/apps': { body: { items: [app], nextCursor: null } } }
const keys = [
  { id: '1', name: 'other', scopes: ['read'], hint: 'zzzz' },
  { id: '2', name: 'release', scopes: ['read', 'send'], hint: 'c3d4' },
]

// spec: administration/admin-keys
test('`herald whoami` says which Herald it is, and an administration key’s name, app and scopes, and never the key', async () => {
  const { url } = await givenHerald({
    ...apps,
    'GET /v1/admin/system': { body: { version: '0.2.0' } },
    [`GET /v1/admin/apps/${app.id}/admin-keys`]: { body: { items: keys, nextCursor: null } },
  })
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: key } })

  expect(await main(['whoami', '--json'], terminal)).toBe(0)
  expect(JSON.parse(terminal.printed[0] ?? '')).toEqual({
    url,
    version: '0.2.0',
    token: 'administration key',
    app,
    key: { name: 'release', scopes: ['read', 'send'] },
  })
  expect(await main(['whoami'], terminal)).toBe(0)
  expect(terminal.printed.slice(1)).toEqual([
    `Herald  ${url}, version 0.2.0`,
    'token   administration key "release"',
    `app     Shop (${app.id})`,
    'scopes  read, send',
  ])
  expect([...terminal.printed, ...terminal.said].join()).not.toContain('planted')
})

test('`herald whoami` with a key that lacks the scope read says why it cannot name the key’s scopes', async () => {
  const { url } = await givenHerald({
    ...apps,
    'GET /v1/admin/system': forbidden('read'),
    [`GET /v1/admin/apps/${app.id}/admin-keys`]: forbidden('read'),
  })
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: key } })
  expect(await main(['whoami'], terminal)).toBe(0)
  expect(terminal.printed.join('\n')).toContain('without the scope read')
})

test('`herald whoami` tells administration tokens from secret keys, and exits with 1 for a refused one', async () => {
  const { url } = await givenHerald({
    ...apps,
    'GET /v1/admin/system': { body: { version: '0.2.0' } },
    'GET /v1/web-push-key': { body: { publicKey: 'x' } },
  })
  const token = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: 'administration-token', HERALD_APP: 'Shop' } })
  expect(await main(['whoami'], token)).toBe(0)
  expect(token.printed.slice(1)).toEqual(['token   administration token', `app     Shop (${app.id})`, 'opens   everything'])

  const secret = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: `sk_live_${app.id}_x` } })
  expect(await main(['whoami'], secret)).toBe(0)
  expect(secret.printed.slice(1)).toEqual(['token   secret key', `app     (${app.id})`, 'opens   herald send'])

  const refused = await givenHerald({ 'GET /v1/admin/apps': { status: 401, body: { error: { code: 'unauthorized', message: 'No.' } } } })
  expect(await main(['whoami'], givenTerminal({ env: { HERALD_URL: refused.url, HERALD_TOKEN: key } }))).toBe(1)
})

test('`herald logout` removes the address and token of the login, also twice, and says that HERALD_TOKEN stays in use', async () => {
  const terminal = givenTerminal({ env: { HERALD_TOKEN: 'x' } })
  writeSettings(terminal.env, { url: 'https://push.example.com', token: key })
  expect(await main(['logout'], terminal)).toBe(0)
  expect(existsSync(join(terminal.home, 'config/herald/settings.json'))).toBe(false)
  expect(terminal.said.join('\n')).toContain('HERALD_TOKEN is set')
  expect(await main(['logout'], terminal)).toBe(0)
  expect(terminal.said.join('\n')).toContain('nothing to forget')
})

// spec: administration/admin-keys
test('with an administration key a command needs no --app, and another app is refused before anything', async () => {
  const { url, asked } = await givenHerald({ [`GET /v1/admin/apps/${app.id}/explain`]: forbidden('people') })
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: key } })
  writeSettings(terminal.env, { url, token: 'administration-token', app: other })

  expect(await main(['explain', other, 'customer-7'], terminal)).toBe(1)
  expect(asked.map(({ path }) => path.split('?')[0])).toEqual([`/v1/admin/apps/${app.id}/explain`])

  expect(await main(['explain', other, 'customer-7', '--app', other], terminal)).toBe(2)
  expect(asked).toHaveLength(1)
  expect(terminal.said.at(-1)).toContain(app.id)
})

// spec: administration/admin-key-scopes
test.each([
  ['people', 'has the scope people too'],
  ['platform', 'needs the administration token'],
])('when Herald refuses a key for lack of the scope %s, the error names it and what to do', async (scope, remedy) => {
  const { url } = await givenHerald({ [`GET /v1/admin/apps/${app.id}/explain`]: forbidden(scope) })
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: key } })
  expect(await main(['explain', other, 'customer-7'], terminal)).toBe(1)
  expect(terminal.said[0]).toContain(`the scope ${scope}.`)
  expect(terminal.said.at(-1)).toContain(remedy)
})
