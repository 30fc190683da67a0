import { expect, test } from 'vitest'
import { main } from './main.ts'
import type { Finding } from './finding.ts'
import { givenHerald } from './testing/given-herald.ts'
import { givenTerminal } from './testing/given-terminal.ts'

const app = '671a2b3c4d5e6f7081920a06'
const path = `/v1/admin/apps/${app}`
const system = { version: '0.2.0', baseUrl: null, trustedProxies: true, database: 'ready', standby: 'none', queue: 'ready' }
const forbidden = (scope: string) => ({
  status: 403,
  body: { error: { code: 'forbidden', message: `The administration key does not have the scope ${scope}.` } },
})
type Answers = Parameters<typeof givenHerald>[0]

/** Runs `herald doctor` against a Herald that is well but for the given answers. Gives its exit code and its findings by state. */
async function examine(answers: Answers, token = `ak_live_${app}_x`) {
  const { url } = await givenHerald({
    'GET /health': { body: { status: 'ok' } },
    'GET /v1/admin/system': { body: { ...system, ledgerDifference: 0, simulator: false } },
    [`GET ${path}/events`]: (_request, response) => response.write('event: watching\ndata: {}\n\n'),
    [`GET ${path}/overview`]: {
      body: { devices: {}, providers: [{ kind: 'fcm', platform: 'android', configured: true }], circuits: [] },
    },
    [`POST ${path}/providers/fcm/check`]: { body: { ok: true, code: null, providerCode: null, remedy: null } },
    [`GET ${path}/webhooks`]: { body: { items: [] } },
    ...answers,
  })
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: token } })
  const code = await main(['doctor', '--json'], terminal)
  const { findings } = JSON.parse(terminal.printed.at(-1) ?? '') as { findings: Finding[] }
  const checksOf = (state: Finding['state']) => findings.filter((finding) => finding.state === state).map(({ check }) => check)
  return { code, unknown: checksOf('unknown'), faults: checksOf('fault'), findings }
}

test('`herald doctor` exits 0 when it could check everything and found no fault', async () => {
  expect(await examine({})).toMatchObject({ code: 0, unknown: [], faults: [] })
})

test.each<[string, Answers, string[]]>([
  ['the scope settings', { [`POST ${path}/providers/fcm/check`]: forbidden('settings') }, ['fcm']],
  ['the scope people', { [`GET ${path}/events`]: forbidden('people') }, ['streams']],
  [
    'the scope read',
    {
      'GET /v1/admin/system': forbidden('read'),
      [`GET ${path}/overview`]: forbidden('read'),
      [`GET ${path}/webhooks`]: forbidden('read'),
    },
    ['system', 'app', 'webhooks'],
  ],
])('`herald doctor` with a key without %s checks the rest, names what it could not check, and exits 2', async (scope, answers, unknown) => {
  const examined = await examine(answers)
  expect(examined).toMatchObject({ code: 2, unknown, faults: [] })
  const reasons = examined.findings.filter(({ state }) => state === 'unknown')
  expect(reasons.every(({ says, remedy }) => says.includes(scope) && remedy !== undefined)).toBe(true)
})

test('`herald doctor` exits 2 while Herald has not compared counters and ledger, and with a secret key', async () => {
  const uncompared = { 'GET /v1/admin/system': { body: { ...system, ledgerDifference: null, simulator: false } } }
  expect(await examine(uncompared)).toMatchObject({ code: 2, unknown: ['ledger'], faults: [] })
  expect(await examine({}, `sk_live_${app}_x`)).toMatchObject({ code: 2, unknown: ['token'], faults: [] })
})

test('`herald doctor` exits 1 for a fault beside what it could not check, which it names', async () => {
  const unauthorized = { status: 401, body: { error: { code: 'unauthorized', message: 'No.' } } }
  const examined = await examine({ 'GET /v1/admin/system': unauthorized })
  expect(examined).toMatchObject({ code: 1, faults: ['token'], unknown: ['the rest'] })
})

test('`herald doctor --device` exits 2 when the key may not read the device', async () => {
  const { url } = await givenHerald({ [`GET ${path}/subscriptions/${app}`]: forbidden('people') })
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: `ak_live_${app}_x` } })
  expect(await main(['doctor', '--device', app], terminal)).toBe(2)
  expect(terminal.printed).toEqual([
    expect.stringContaining('the scope people'),
    expect.stringContaining('→'),
    expect.stringContaining('1 could not'),
  ])
})
