import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../build.ts'
import manifest from '../package.json' with { type: 'json' }
import { version } from './device.ts'

const root = resolve(import.meta.dirname, '../../..')
const directory = mkdtempSync(join(tmpdir(), 'herald-web-package-'))
const installed = join(directory, 'node_modules/@herald/web')
let sizes: Record<string, number>

beforeAll(async () => {
  mkdirSync(installed, { recursive: true })
  // buildPackage throws when a script is above its limit of bytes.
  sizes = await buildPackage(installed)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** A program that imports the installed package. After each `@ts-expect-error` comes code that must not compile. */
const program = `import { init, HeraldError, type State } from '@herald/web'
import { isOurs, start } from '@herald/web/worker'
const herald = init({ baseUrl: 'https://push.example.com', appKey: 'pk_live_a', identityToken: async (id) => id })
const state: State = await herald.subscribe({ tags: { plan: 'pro', trial: null }, language: 'de' })
const off: () => void = herald.on('click', ({ url, action, data }) => console.log(url, action, data['order']))
herald.on('change', ({ subscribed, waiting }) => console.log(subscribed, waiting + 1))
await herald.softAsk(() => confirm('News?'), { everyDays: 7 })
try { await herald.login('customer-7') } catch (error) { if (error instanceof HeraldError && error.code === 'forbidden') console.log(error.requestId) }
start({ show: ({ title }) => ({ icon: '/icon.png', body: title }), click: (message, action) => action ?? message.url })
if (isOurs(new Event('push'))) off()
// @ts-expect-error an option that does not exist
init({ baseUrl: 'https://push.example.com', appKey: 'pk_live_a', serviceWorker: '/sw.js' })
// @ts-expect-error an event that does not exist
herald.on('clicked', () => undefined)
// @ts-expect-error a tag that is not a string, number or boolean
await herald.setTags({ plan: ['pro'] })
console.log(state.subscriptionId)
`

test.each([
  ['5.9', 'libs/openapi-types/node_modules/typescript'],
  ['7', 'node_modules/typescript'],
])('the types of the package compile under TypeScript %s, and wrong options, events and tags do not', (tsVersion, path) => {
  const project = join(directory, `ts-${tsVersion}`)
  mkdirSync(project)
  writeFileSync(join(project, 'program.ts'), program)
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [], lib: ['es2022', 'dom'] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))

  const run = (...args: string[]) => spawnSync(process.execPath, [join(root, path, 'bin/tsc'), ...args], { cwd: project, encoding: 'utf8' })

  expect(run('--version').stdout).toContain(`Version ${tsVersion}`)
  expect(run('-p', '.').stdout).toBe('')
})

test('publint finds no fault in the published package, which has no dependencies, and beside its types only the expected files', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true })
  const published = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(messages.map((message) => formatMessage(message, published))).toEqual([])
  expect(published['dependencies']).toBeUndefined()

  const packed = join(directory, 'packed')
  cpSync(installed, packed, { recursive: true })
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json'], { cwd: packed, encoding: 'utf8' })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const others = files.map(({ path }) => path).filter((path) => !/^(types|texts)\//.test(path))
  expect(others.toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'badge.mjs',
    'categories.mjs',
    'conversions.mjs',
    'herald.iife.js',
    'herald.mjs',
    'inbox.mjs',
    'integrity.json',
    'package.json',
    'react.mjs',
    'svelte.mjs',
    'ui.mjs',
    'vue.mjs',
    'worker.iife.js',
    'worker.mjs',
  ])
})

test('gzipped, page script, worker, entries and languages keep their limits, and integrity.json has each script’s hash', () => {
  const most = (file: string) =>
    file.startsWith('texts/')
      ? 500
      : ({ herald: 5_000, worker: 2_900, ui: 4_000, categories: 1_500, inbox: 1_500 }[file.split('.')[0] ?? ''] ?? 1_000)
  expect(Object.entries(sizes).filter(([file, size]) => size > most(file))).toEqual([])
  expect(Object.keys(sizes).filter((file) => file.startsWith('texts/'))).toHaveLength(10)
  const integrity = JSON.parse(readFileSync(join(installed, 'integrity.json'), 'utf8')) as Record<string, string>
  for (const file of ['herald.mjs', 'herald.iife.js', 'worker.mjs', 'worker.iife.js']) {
    const digest = createHash('sha384')
      .update(readFileSync(join(installed, file)))
      .digest('base64')
    expect(integrity[file]).toBe(`sha384-${digest}`)
  }
})

test('on a server, where there is no browser, init throws nothing and reports that pushes are unsupported', () => {
  const script = `const { init } = await import('@herald/web')
    const herald = init({ baseUrl: 'https://push.example.com', appKey: 'pk_live_a' })
    await herald.login('customer-7')
    const refused = await herald.subscribe().catch((error) => error.code)
    console.log(JSON.stringify([(await herald.ready).supported, refused, (await herald.logout()).waiting]))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: directory, encoding: 'utf8' })
  expect(stdout.trim()).toBe('[false,"unsupported",0]')
})

test('the version that the SDK sends to Herald is the version in its package.json', () => {
  expect(version).toBe(manifest.version)
})
