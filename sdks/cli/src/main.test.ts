import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { help } from './help.ts'
import { main } from './main.ts'
import { givenHerald } from './testing/given-herald.ts'
import { givenTerminal } from './testing/given-terminal.ts'

const app = '671a2b3c4d5e6f7081920a06'
const id = '671a2b3c4d5e6f7081920a05'
const stats = (more: object) => ({ queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0, ...more })
const environment = (url: string, token = 'administration-token') => ({ env: { HERALD_URL: url, HERALD_TOKEN: token, HERALD_APP: app } })

test('every command has --help; unknown commands, options or surplus words end with exit code 2', async () => {
  const terminal = givenTerminal()
  for (const name of Object.keys(help)) expect(await main([name, '--help'], terminal)).toBe(0)
  expect(terminal.printed).toEqual(Object.values(help))
  expect(await main(['--help'], terminal)).toBe(0)
  expect(await main(['--version'], terminal)).toBe(0)
  expect(terminal.printed.at(-1)).toBe(manifest.version)

  expect(await main(['sned'], terminal)).toBe(2)
  expect(await main(['send', '--too', 'x'], terminal)).toBe(2)
  expect(await main(['tail', 'extra'], terminal)).toBe(2)
  expect(terminal.said.join('\n')).toContain("'--too'")
})

test.each([
  [[], 'To whom'],
  [['--to', 'a', '--all'], 'one of'],
  [['--to', 'a', '--title', 'Hi'], 'belong together'],
  [['--to', 'a', '--data', 'x'], 'order=17'],
  [['--file', '/nowhere.json'], 'cannot be read'],
  [['--to', 'a', '--within', 'soon'], '--within'],
])('`herald send` with the wrong arguments %j says what is wrong and sends nothing', async (args, words) => {
  const { url, asked } = await givenHerald({})
  const terminal = givenTerminal(environment(url))
  expect(await main(['send', ...args], terminal)).toBe(2)
  expect(terminal.said.join('\n')).toContain(words)
  expect(asked).toEqual([])
})

test('`herald send` with a secret key exits with 1 when a push failed or nobody was reached', async () => {
  let outcome = stats({ queued: 1, sent: 1 })
  const { url, asked } = await givenHerald({
    'POST /v1/notifications': { status: 202, body: { id, status: 'sending' } },
    [`GET /v1/campaigns/${id}/stats`]: (_request, response) => response.end(JSON.stringify({ id, status: 'sent', stats: outcome })),
  })
  const terminal = givenTerminal(environment(url, 'sk_live_a_b'))
  const args = [
    'send',
    '--to',
    'customer-7',
    '--to',
    'customer-8',
    '--title',
    'Hi',
    '--body',
    'There',
    '--data',
    'order=17=x',
    '--key',
    'k',
  ]

  expect(await main(args, terminal)).toBe(0)
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
    target: { externalIds: ['customer-7', 'customer-8'] },
    content: { _default: 'en', en: { title: 'Hi', body: 'There' } },
    data: { order: '17=x' },
  })
  expect(terminal.printed.at(-1)).toContain('1 sent, 0 failed, 0 skipped of 1')

  outcome = stats({ queued: 2, sent: 1, failed: 1 })
  expect(await main(args, terminal)).toBe(1)
  outcome = stats({})
  expect(await main(args, terminal)).toBe(1)
  expect(terminal.printed.at(-1)).toContain('reached nobody')
})

test('`herald send --all` sends nothing from a script without --yes, or without the typed number of devices', async () => {
  const audience = { devices: 4_711, users: 9, byPlatform: { ios: 4_711, android: 0, web: 0 }, exact: true }
  const dryRun = { audience, unreachable: { optedOut: 0, invalidated: 0 }, skips: [], waves: [], warnings: [] }
  const { url, asked } = await givenHerald({ [`POST /v1/admin/apps/${app}/dry-run`]: { body: dryRun } })

  const script = givenTerminal(environment(url))
  expect(await main(['send', '--all', '--title', 'Hi', '--body', 'There'], script)).toBe(2)
  expect(script.said.join('\n')).toContain('4711 devices')

  const person = givenTerminal({ ...environment(url), answers: ['yes'] })
  expect(await main(['send', '--all', '--title', 'Hi', '--body', 'There'], person)).toBe(2)
  expect(person.said.join('\n')).toContain('Nothing was sent')

  expect(asked.map(({ path }) => path)).toEqual(Array.from({ length: 2 }, () => `/v1/admin/apps/${app}/dry-run`))
})

test('when the API refuses a send, `herald` prints wrong fields and request id, control characters as question marks', async () => {
  const details = [{ path: 'content.en.title', message: 'must not be \u001b[31mblank' }]
  const { url } = await givenHerald({
    'POST /v1/notifications': { status: 422, body: { error: { code: 'invalid_body', message: 'No.', details } } },
  })
  const terminal = givenTerminal(environment(url, 'sk_live_a_b'))

  expect(await main(['send', '--to', 'a', '--title', ' ', '--body', 'b'], terminal)).toBe(1)

  expect(terminal.said.join('\n')).toMatch(/No\. \(invalid_body, request [0-9a-f-]{36}\)\n {2}content\.en\.title: must not be \?\[31mblank/)
})

test('without --app a command lists the apps to choose from; with --app it takes the app by its name', async () => {
  const apps = [
    { id: app, name: 'Shop' },
    { id, name: 'News' },
  ]
  const { url } = await givenHerald({ 'GET /v1/admin/apps': { body: { items: apps, nextCursor: null } } })
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: 'administration-token' } })

  expect(await main(['explain', id, 'customer-7'], terminal)).toBe(2)
  expect(terminal.said.join('\n')).toContain(`${app}  Shop`)
  expect(await main(['explain', id, 'customer-7', '--app', 'News'], terminal)).toBe(1)
  expect(await main(['explain', 'x', 'customer-7'], terminal)).toBe(2)
})
