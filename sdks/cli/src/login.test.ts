import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from './main.ts'
import { readSettings } from './settings.ts'
import { givenHerald } from './testing/given-herald.ts'
import { givenTerminal } from './testing/given-terminal.ts'

const app = { id: '671a2b3c4d5e6f7081920a06', name: 'Shop' }
const token = 'planted-administration-token-0123456789'

test('`herald login` stores address, token and app in a file of this user alone, and prints no token', async () => {
  const { url, asked } = await givenHerald({ 'GET /v1/admin/apps': { body: { items: [app], nextCursor: null } } })
  const terminal = givenTerminal({ answers: [url, token] })

  expect(await main(['login'], terminal)).toBe(0)

  const file = join(terminal.home, 'config/herald/settings.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url, token, app: app.id })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(asked.map(({ authorization }) => authorization)).toEqual([`Bearer ${token}`])
  expect([...terminal.printed, ...terminal.said].join('\n')).not.toContain(token)
})

test('`herald login` makes a settings file private that others could read before', async () => {
  const { url } = await givenHerald({ 'GET /v1/admin/apps': { body: { items: [app], nextCursor: null } } })
  const terminal = givenTerminal({ answers: [token] })
  const file = join(terminal.home, 'config/herald/settings.json')
  mkdirSync(join(terminal.home, 'config/herald'), { recursive: true })
  writeFileSync(file, '{}', { mode: 0o644 })

  expect(await main(['login', '--url', url], terminal)).toBe(0)

  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('`herald login` does not store a token that Herald refuses', async () => {
  const { url } = await givenHerald({ 'GET /v1/admin/apps': { status: 401, body: { error: { code: 'unauthorized', message: 'No.' } } } })
  const terminal = givenTerminal({ answers: [token] })

  expect(await main(['login', '--url', url], terminal)).toBe(1)

  expect(() => readSettings(terminal.env)).toThrow('herald login')
  expect(terminal.said.join('\n')).toContain('HERALD_TOKEN')
})

test('`herald login` ends with exit code 2 without a token or with a public key, not shown', async () => {
  const terminal = givenTerminal({ answers: ['', 'pk_live_0_planted'] })
  expect(await main(['login', '--url', 'http://127.0.0.1:1'], terminal)).toBe(2)
  expect(await main(['login', '--url', 'http://127.0.0.1:1'], terminal)).toBe(2)
  expect(terminal.said.join('\n')).toContain('public key')
  expect(terminal.said.join('\n')).not.toContain('planted')
})

test('the stored token goes only to its address, and a settings file that others can read is refused', () => {
  const { env, home } = givenTerminal()
  const file = join(home, 'config/herald/settings.json')
  mkdirSync(join(home, 'config/herald'), { recursive: true })
  writeFileSync(file, JSON.stringify({ url: 'https://push.example.com', token, app: app.id }), { mode: 0o600 })

  expect(readSettings(env)).toEqual({ url: 'https://push.example.com', token, app: app.id })
  expect(readSettings({ ...env, HERALD_APP: 'Other' }).app).toBe('Other')
  expect(() => readSettings({ ...env, HERALD_URL: 'https://elsewhere.example' })).toThrow('HERALD_TOKEN')
  expect(readSettings({ ...env, HERALD_URL: 'https://elsewhere.example', HERALD_TOKEN: 'other' })).toEqual({
    url: 'https://elsewhere.example',
    token: 'other',
  })

  chmodSync(file, 0o640)
  expect(() => readSettings(env)).toThrow('chmod 600')
})
