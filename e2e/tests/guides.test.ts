import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { givenTenant } from '@herald/testing/tenant'
import { blocksOf, readMarkedPages, type Block } from '@herald/tools/guide/pages'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'

// Does what the README, the guide and the pages directly in docs/ show: runs their `run` blocks against a platform, and
// compiles or parses their `check` blocks of TypeScript and JSON.

const root = resolve(import.meta.dirname, '../..')
const blocks = readMarkedPages(root).flatMap(blocksOf)
const runnable = [...new Set(blocks.filter(({ mark }) => mark === 'run').map(({ page }) => page))]
const run = promisify(execFile)

const herald = await sharedPlatform()
/** A directory inside the repository, so that Node finds `@herald/node` as it does in a reader's program. */
let work: string

beforeAll(async () => {
  mkdirSync(join(root, 'examples', 'shop', 'dist'), { recursive: true })
  work = mkdtempSync(join(root, 'examples', 'shop', 'dist', 'guide-'))
})
afterAll(async () => {
  rmSync(work, { recursive: true, force: true })
})

test.each(runnable)('every command of docs/%s that is marked to be run succeeds', async (page) => {
  const tenant = await givenTenant(herald)
  for (const externalId of ['customer-7', 'customer-8', 'customer-9']) {
    const [device] = await tenant.makeDevices('android', 1)
    if (device) await tenant.register(device, { externalId, tags: { plan: 'gold', name: 'Ada' } })
  }
  const script = blocks.filter((block) => block.page === page && block.mark === 'run').map((block, place) => commandOf(block, place))

  // One shell for all blocks of the page: later blocks use the variables that earlier blocks set.
  const ended = await run('bash', ['-euo', 'pipefail', '-c', ["JSON='content-type: application/json'", ...script].join('\n')], {
    cwd: work,
    timeout: 110_000,
    env: {
      ...process.env,
      BASE: herald.baseUrl,
      ADMIN_TOKEN: herald.adminToken,
      APP: tenant.appId,
      SECRET: tenant.secretKey,
      PUBLIC: tenant.publicKey,
      PYTHONPATH: join(root, 'sdks/python'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  }).then(
    () => 'well',
    (error: { stderr?: string; message: string }) => error.stderr ?? error.message,
  )
  expect(ended).toBe('well')
})

function commandOf({ language, code, page }: Block, place: number): string {
  if (language === 'sh') return code
  const [program, ending] = language === 'python' ? ['python3', 'py'] : [process.execPath, 'ts']
  const file = join(work, `${page.replaceAll('/', '-')}-${place}.${ending}`)
  writeFileSync(file, code)
  return `${JSON.stringify(program)} ${JSON.stringify(file)}`
}

test('every block of TypeScript in the documentation that is marked to be checked fits the types of the SDKs', async () => {
  const directory = join(work, 'types')
  mkdirSync(directory)
  const files = blocks.filter(({ language, mark }) => /^tsx?$/.test(language) && mark === 'check')
  expect(files.length).toBeGreaterThan(5)
  files.forEach(({ page, line, language, code }) =>
    writeFileSync(join(directory, `${page.replaceAll(/guide\/|\.\.\/|\.md$/g, '')}-${line}.${language}`), `${code}\nexport {}\n`),
  )
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        // The repository's SDKs are TypeScript sources.
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        target: 'es2022',
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2022', 'dom', 'dom.iterable'],
        types: ['node'],
        jsx: 'react-jsx',
      },
      // React Native is not installed; its package has the part of the types that it uses.
      include: ['*.ts', '*.tsx', join(root, 'sdks/react-native/types/*.d.ts')],
    }),
  )

  const complaints = await run('npx', ['tsc', '-p', directory], { cwd: root }).then(
    () => '',
    ({ stdout, message }: { stdout?: string; message: string }) => stdout ?? message,
  )
  expect(complaints).toBe('')
})

test('every block of JSON in the documentation that is marked to be checked is valid JSON', () => {
  const found = blocks.filter(({ language, mark }) => language === 'json' && mark === 'check')
  expect(found.length).toBeGreaterThan(1)
  for (const { page, line, code } of found) expect(() => void JSON.parse(code), `docs/${page}:${line}`).not.toThrow()
})
