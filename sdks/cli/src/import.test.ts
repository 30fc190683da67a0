import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { main } from './main.ts'
import { givenHerald } from './testing/given-herald.ts'
import { givenTerminal } from './testing/given-terminal.ts'

const app = '671a2b3c4d5e6f7081920a06'
const id = '671a2b3c4d5e6f7081920a05'
const path = `/v1/admin/apps/${app}/imports`
const environment = (url: string) => ({ env: { HERALD_URL: url, HERALD_TOKEN: 'administration-token', HERALD_APP: app } })
const report = {
  ...{ id, state: 'receiving', dryRun: true, offset: 0, rows: 0, created: 0, updated: 0, kept: 0, rejected: 0, byCode: {} },
  warnings: {},
}
const oneSignal = 'id,identifier,session_count,language,device_type,invalid_identifier,notification_types'

/** Starts a server in place of Herald that takes an import. It answers the given report at the end, or refuses the data. */
async function givenImports({ finish = {}, refusal }: { finish?: object; refusal?: { status: number; dryRun: boolean } }) {
  let dryRun = true
  const received: string[] = []
  const herald = await givenHerald({
    [`POST ${path}`]: (_request, response, body) => {
      dryRun = (JSON.parse(body) as { dryRun: boolean }).dryRun
      received.length = 0
      response.writeHead(201).end(JSON.stringify({ ...report, dryRun }))
    },
    [`PUT ${path}/${id}/data`]: (_request, response, body) => {
      if (refusal?.dryRun === dryRun) {
        response.writeHead(refusal.status).end(JSON.stringify({ error: { code: 'invalid_body', message: 'No.' } }))
        return
      }
      received.push(body)
      response.end(JSON.stringify({ ...report, dryRun, offset: Buffer.byteLength(received.join('')) }))
    },
    [`POST ${path}/${id}/finish`]: (_request, response) =>
      response.end(JSON.stringify({ ...report, dryRun, state: 'finished', ...finish })),
    [`GET ${path}/${id}/errors`]: { body: { items: [], nextCursor: null } },
    [`DELETE ${path}/${id}`]: { status: 200, body: {} },
  })
  return { ...herald, received, ends: () => herald.asked.filter(({ method }) => method === 'DELETE').length }
}

/** Writes a file that is deleted after the test. */
function givenFile(name: string, content: string | Buffer): string {
  const directory = mkdtempSync(join(tmpdir(), 'herald-import-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, name)
  writeFileSync(file, content)
  return file
}

// spec: administration/import-opted-in, administration/import-left-out
test('`herald import` refuses a OneSignal export without notification_types unless told that all have opted in, and prints the warnings', async () => {
  const file = givenFile('users.csv', 'identifier,device_type\na,0\n')
  const { url, asked } = await givenImports({ finish: { warnings: { 'left_out:timezone_id': 3, no_external_id: 2 } } })
  const terminal = givenTerminal(environment(url))
  const args = ['import', file, '--from', 'onesignal', '--dry-run']

  expect(await main(args, terminal)).toBe(2)
  expect(terminal.said.join('\n')).toContain('notification_types')
  expect(asked).toEqual([])

  expect(await main([...args, '--assume-opted-in'], terminal)).toBe(0)
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ format: 'onesignal_csv', assumeOptedIn: true })
  expect(terminal.said.join('\n')).toContain('3 left_out:timezone_id')
})

// spec: administration/import-onesignal, administration/import-opted-in
test('a column whose quoted name contains other names is one column, so it does not stand for notification_types', async () => {
  const file = givenFile('users.csv', '"id","notes, notification_types","identifier",device_type\n1,x,a,0\n')
  const { url, asked } = await givenImports({})
  const terminal = givenTerminal(environment(url))
  expect(await main(['import', file, '--dry-run'], terminal)).toBe(2)
  expect(terminal.said.join('\n')).toContain('notes, notification_types')
  expect(asked).toEqual([])
})

// spec: administration/import-onesignal, administration/import-row
test.each([
  ['with LF', 'users.csv', (text: string) => Buffer.from(text)],
  ['with CR', 'users.csv', (text: string) => Buffer.from(text.replaceAll('\n', '\r'))],
  ['compressed with gzip', 'users.csv.gz', (text: string) => gzipSync(text)],
  ['with an ending that says nothing', 'users_2026.export', (text: string) => Buffer.from(text)],
])('`herald import` knows an export of OneSignal by its header: %s', async (_what, name, encoded) => {
  const content = `${oneSignal}\n1,a,1,en,0,f,1\n`
  const bytes = encoded(content)
  const copies = () => readdirSync(tmpdir()).filter((entry) => entry.startsWith('herald-gunzip-'))
  const before = copies()
  const { url, asked, received } = await givenImports({ finish: { rows: 1, created: 1 } })
  const terminal = givenTerminal(environment(url))

  expect(await main(['import', givenFile(name, bytes), '--yes'], terminal)).toBe(0)

  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ format: 'onesignal_csv', dryRun: true })
  expect(terminal.said.join('\n')).toContain('export of OneSignal')
  expect(terminal.said.join('\n')).toMatch(/invalid_identifier +→ optedIn/)
  expect(received.join('')).toBe(name.endsWith('.gz') ? content : bytes.toString())
  expect(copies()).toEqual(before)
})

test('`herald import` takes a header of OneSignal’s as any CSV file when --from or --column says so', async () => {
  const { url, asked } = await givenImports({})
  const file = givenFile('users.csv', `${oneSignal}\n1,a,1,en,0,f,1\n`)
  await main(['import', file, '--from', 'csv', '--dry-run'], givenTerminal(environment(url)))
  await main(['import', file, '--column', 'token=identifier', '--dry-run'], givenTerminal(environment(url)))
  const formats = asked.filter(({ method, path: at }) => method === 'POST' && at === path).map(({ body }) => JSON.parse(body) as object)
  expect(formats).toMatchObject([{ format: 'csv' }, { format: 'csv' }])
})

// spec: administration/import
test.each([
  ['a dry run that Herald refuses', { status: 422, dryRun: true }, 1],
  ['a dry run that fails in Herald', { status: 403, dryRun: true }, 1],
  ['an import that Herald refuses for its content', { status: 422, dryRun: false }, 1],
  ['an import that can go on later', { status: 403, dryRun: false }, 0],
])('`herald import` after %s: the import is cancelled unless the same command can go on with it', async (_what, refusal, ends) => {
  const herald = await givenImports({ refusal })
  const terminal = givenTerminal(environment(herald.url))
  expect(await main(['import', givenFile('users.csv', 'platform,token\nios,a\n'), '--yes'], terminal)).toBe(1)
  expect(herald.ends()).toBe(ends)
  expect(terminal.said.join('\n').includes('stays open')).toBe(ends === 0)
})

test('control characters of an imported file reach the terminal as question marks', async () => {
  const { url } = await givenImports({ finish: { byCode: { '\u009b31m': 1 }, warnings: { 'left_out:\u001b[2J': 1 } } })
  const terminal = givenTerminal(environment(url))
  const file = givenFile('users.csv', 'platform,token,\u001b]0;title\u0007,__proto__,constructor\nios,a,b,c,d\n')
  await main(['import', file, '--yes'], terminal)
  await main(['import', givenFile('evil\u001b[31m.csv', ''), '--yes'], terminal)
  const written = [...terminal.said, ...terminal.printed].join('')
  expect(written).toContain('?]0;title?')
  expect(written.match(/\p{Cc}/gu)).toBeNull()
})

// spec: administration/import-web
test('`herald import` exits 0 with a warning when only browsers were skipped, and 1 when another row was rejected', async () => {
  const file = givenFile('users.csv', 'platform,token\nios,a\n')
  const onlyBrowsers = await givenImports({ finish: { rows: 3, created: 1, rejected: 2, byCode: { web_skipped: 2 }, optedOut: 1 } })
  const terminal = givenTerminal(environment(onlyBrowsers.url))
  expect(await main(['import', file, '--yes'], terminal)).toBe(0)
  expect(terminal.printed).toEqual([
    'imported: 1 new, 0 updated, 0 kept as they are, 0 rejected of 3 rows',
    '1 of the devices have opted out, and stay so',
    expect.stringContaining('warning: 2 browsers are skipped; --with-browsers'),
  ])

  const others = await givenImports({ finish: { rows: 3, rejected: 3, byCode: { web_skipped: 2, invalid_field: 1 } } })
  expect(await main(['import', file, '--yes'], givenTerminal(environment(others.url)))).toBe(1)
})

test('a compressed file that is cut off is refused before an import begins', async () => {
  const { url, asked } = await givenImports({})
  const terminal = givenTerminal(environment(url))
  const cut = gzipSync('platform,token\nios,a\n').subarray(0, 15)
  expect(await main(['import', givenFile('users.csv.gz', cut), '--yes'], terminal)).toBe(1)
  expect(terminal.said.join('\n')).toContain('cannot be decompressed')
  expect(asked).toEqual([])
})
