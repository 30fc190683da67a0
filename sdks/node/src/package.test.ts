import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { formatMessage } from 'publint/utils'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../build.ts'

const root = resolve(import.meta.dirname, '../../..')
const directory = mkdtempSync(join(tmpdir(), 'herald-node-package-'))
const installed = join(directory, 'node_modules/@herald/node')
beforeAll(async () => {
  mkdirSync(installed, { recursive: true })
  await buildPackage(installed)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** A program that imports the installed package. After each `@ts-expect-error` comes code that must not compile. */
const program = `import { Herald, HeraldError, identityToken, webhooks, type UserRow } from '@herald/node'
const herald = new Herald({ baseUrl: 'https://push.example.com', key: 'sk_live_x' })
const content = { _default: 'en', en: { title: 'Shipped', body: 'On its way' } }
const { id } = await herald.notifications.send({ target: { externalIds: ['customer-7'] }, content }, { idempotencyKey: 'order-17' })
const { stats } = await herald.campaigns.settled(id, { timeoutMs: 60_000 })
const sent: number = stats.sent
for await (const segment of herald.segments.list({ q: 'vip' })) segment.name.toUpperCase()
const rows: UserRow[] = [{ externalId: 'a', tags: { plan: null } }]
const { failed } = await herald.users.upsertMany(rows, { concurrency: 8 })
for (const { row, error } of failed) if (error.is('invalid_body')) error.at(row.externalId ?? '')
const { events } = await webhooks.verify('', undefined, ['a', 'b'])
for (const event of events) if (event.type === 'notification.failed') event.data.code.toUpperCase()
const token: string = await identityToken('secret', 'customer-7')
new HeraldError({ code: 'a_newer_code', status: 400, message: '' }).is('not_found')
// @ts-expect-error a text that is misspelt
await herald.notifications.send({ target: { all: true }, content: { _default: 'en', en: { titel: 'a', body: 'b' } } })
// @ts-expect-error a target that does not exist
await herald.notifications.send({ target: { everybody: true }, content })
// @ts-expect-error a code that does not exist
new HeraldError({ code: 'a', status: 400, message: '' }).is('not_fuond')
console.log(sent, token)
`

test.each([
  ['5.9', 'libs/openapi-types/node_modules/typescript'],
  ['7', 'node_modules/typescript'],
])('the types of the package compile under TypeScript %s, and a misspelt name does not compile', (version, path) => {
  const project = join(directory, `ts-${version}`)
  mkdirSync(project)
  writeFileSync(join(project, 'program.ts'), program)
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    types: [],
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))

  const run = (...args: string[]) => spawnSync(process.execPath, [join(root, path, 'bin/tsc'), ...args], { cwd: project, encoding: 'utf8' })

  expect(run('--version').stdout).toContain(`Version ${version}`)
  expect(run('-p', '.').stdout).toBe('')
})

test.each([
  ['5.9', 'node16', 'libs/openapi-types/node_modules/typescript'],
  ['7', 'node16', 'node_modules/typescript'],
  ['7', 'nodenext', 'node_modules/typescript'],
])(
  'a CommonJS program in strict TypeScript %s with module %s compiles against the package, and require gives the same names',
  (version, module, path) => {
    const project = join(directory, `cjs-${version}-${module}`)
    mkdirSync(project)
    writeFileSync(
      join(project, 'program.cts'),
      `import { Herald, webhooks } from '@herald/node'
const herald = new Herald({ baseUrl: 'https://push.example.com', key: 'sk_live_x' })
const answer: Promise<Response> = webhooks.handler({ secrets: 'a', on: { 'notification.failed': (event) => event.data.code.toUpperCase() } })(new Request('https://a'))
// @ts-expect-error a type of event that does not exist
webhooks.handler({ secrets: 'a', on: { 'notification.fialed': () => undefined } })
export = [herald, answer]
`,
    )
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module,
      target: 'es2022',
      types: [],
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.cts'] }))
    const run = (program: string, ...args: string[]) => spawnSync(process.execPath, [program, ...args], { cwd: project, encoding: 'utf8' })
    expect(run(join(root, path, 'bin/tsc'), '-p', '.').stdout).toBe('')

    writeFileSync(join(project, 'names.cjs'), "console.log(Object.keys(require('@herald/node')).sort().join())")
    writeFileSync(join(project, 'names.mjs'), "console.log(Object.keys(await import('@herald/node')).sort().join())")
    expect(run('names.cjs').stdout).toBe(run('names.mjs').stdout)
    expect(run('names.cjs').stdout).toContain('Herald,HeraldError,identityToken,webhooks')
  },
)

test('publint finds no fault in the published package, which has no dependencies, and beside its types only the expected files', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true })
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  expect(manifest['dependencies']).toBeUndefined()

  const packed = join(directory, 'packed')
  cpSync(installed, packed, { recursive: true })
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json'], { cwd: packed, encoding: 'utf8' })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const others = files.map(({ path }) => path).filter((path) => !/^(cjs\/)?types\//.test(path))
  expect(others.toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'cjs/herald.js',
    'cjs/package.json',
    'herald.js',
    'package.json',
  ])
})

test('a CommonJS program can load the package by require', () => {
  const script = `const { Herald } = require('@herald/node'); console.log(typeof Herald)`
  const { stdout } = spawnSync(process.execPath, ['--input-type=commonjs', '-e', script], { cwd: directory, encoding: 'utf8' })
  expect(stdout.trim()).toBe('function')
})
