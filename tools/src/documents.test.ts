import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, generatedPages, readMarkedPages, readPage } from './guide/pages.ts'
import { root } from './workspace.ts'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
/** The README, the pages of docs/ except those in `generatedPages`, and the READMEs in apps/ and e2e/, by their paths in the repository. */
const texts = globSync(['README.md', 'docs/**/*.md', 'apps/*/README.md', 'e2e/**/README.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', ...generatedPages.map((page) => `docs/${page}`)],
})
  .toSorted()
  .map((file) => ({ file, text: read(file) }))

test('every `npm run` that a page names is a script', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/\bnpm run (?:-s )?([a-z][a-z0-9:-]*)/g)].map(([, script = '']) => ({ file, script })),
  )

  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([])
})

test('every file that a page links to or names exists', () => {
  const links = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
      .map(([, href = '']) => ({ file, names: href, path: join(dirname(file), href) }))
      .filter(({ names }) => !/^[a-z]+:/.test(names) && !names.startsWith('/')),
  )
  const codes = texts.flatMap(({ file, text }) => [...text.matchAll(/`([^`\s]+)`/g)].flatMap(([, code = '']) => fileNamedBy(file, code)))

  expect(links.length).toBeGreaterThan(100)
  expect(codes.length).toBeGreaterThan(100)
  expect([...links, ...codes].filter(({ path }) => !isThere(path)).map(({ file, names }) => `${file} names ${names}`)).toEqual([])
})

test('every heading to which a link leads exists on its page', () => {
  const dead = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\(([^)\s#]*\.md)?#([^)]+)\)/g)].flatMap(([, page, anchor]) => {
      const target = page === undefined ? file : join(dirname(file), page)
      const { headings } = readPage(target, read(target))
      return headings.some(({ id }) => id === anchor) ? [] : [`${file} links to #${anchor} of ${target}`]
    }),
  )

  expect(dead).toEqual([])
})

/** Gives the file that a word in backticks names, by its path from the repository's root or, in a service's README, from that service's folder. */
function fileNamedBy(file: string, code: string): { file: string; names: string; path: string }[] {
  // docs/add-a-provider.md names files that a fourth provider would have.
  if (/hms|huawei|NNNN/.test(code)) return []
  if (/^(apps|bench|deploy|docs|e2e|examples|libs|sdks|tools)\/[^:=]+$/.test(code)) return [{ file, names: code, path: code }]
  const isOfApp = /^apps\/[^/]+\/README\.md$/.test(file) && /^(src|migrations)\//.test(code)
  return isOfApp ? [{ file, names: code, path: join(dirname(file), code) }] : []
}

/**
 * Whether a path exists. `<app>` stands for any name, as `*` does, and `{one,two}` for each of the names. Files that a build writes need not exist.
 */
function isThere(path: string): boolean {
  if (/(^|\/)dist(\/|$)/.test(path)) return true
  const pattern = path.replaceAll(/<[^>]+>/g, '*')
  const each = /\{([^}]+)\}/.exec(pattern)
  if (each) return (each[1] ?? '').split(',').every((one) => isThere(pattern.replace(each[0], one)))
  return pattern.includes('*') ? globSync(pattern, { cwd: root }).length > 0 : existsSync(join(root, pattern))
}

test('the list of decisions has every decision, under its title', () => {
  const decisions = texts.filter(({ file }) => /^docs\/decisions\/\d/.test(file))
  const lines = decisions.map(({ file, text }) => `- [${text.slice('# '.length, text.indexOf('\n'))}](${basename(file)})`)

  expect(
    read('docs/decisions/README.md')
      .split('\n')
      .filter((line) => line.startsWith('- ')),
  ).toEqual(lines)
})

test('no decision has more than 300 words', () => {
  const long = texts.filter(({ file, text }) => /^docs\/decisions\/\d/.test(file) && text.split(/\s+/).filter(Boolean).length > 300)

  expect(long.map(({ file }) => file)).toEqual([])
})

test('every environment variable that a page names is described in docs/configuration.md, or is not a setting of a service', () => {
  const capitals = /[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+/g
  const known = new Set([...(read('docs/configuration.md').match(capitals) ?? []), ...notOfAnApp])
  const named = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(([, name = '']) => ({ file, name })),
  )

  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(({ name }) => !known.has(name) && !name.startsWith('OTEL_'))).toEqual([])
})

const notOfAnApp = [
  // Settings of the simulator (apps/simulator/src/config.ts), of `herald` (sdks/cli), of the dashboard when it runs from its sources, of the tests
  // and of Node.
  ...(read('apps/simulator/src/config.ts').match(/SIMULATOR_[A-Z_]+/g) ?? []),
  ...['HERALD_URL', 'HERALD_TOKEN', 'HERALD_ALLOW_HTTP', 'HERALD_APP', 'TEST_INFRA', 'NODE_OPTIONS'],
  // Words of FCM, of HTTP/2 and of the system's functions for looking up names.
  ...[
    'INVALID_ARGUMENT',
    'SENDER_ID_MISMATCH',
    'THIRD_PARTY_AUTH_ERROR',
    'PERMISSION_DENIED',
    'REFUSED_STREAM',
    'EAI_AGAIN',
    'QUOTA_EXCEEDED',
    'RESOURCE_EXHAUSTED',
  ],
  // A setting of the invented provider in docs/add-a-provider.md.
  'HMS_URL',
]

test('every block of code of README, guide and docs/ has a mark that says how it is tested', () => {
  // e2e/tests/guides.test.ts runs the blocks with the mark `run`.
  const run = new Set(
    readMarkedPages(root)
      .flatMap(blocksOf)
      .filter(({ mark }) => mark === 'run')
      .map(({ page }) => page),
  )

  expect([...run]).toEqual(expect.arrayContaining(['../README.md', 'import.md', 'operations.md', 'guide/quickstart.md']))
})

test('every command that README or docs/ show is run by a test, or listed as never run', () => {
  const shown = readMarkedPages(root)
    .filter(({ path }) => !path.startsWith('guide/'))
    .flatMap(blocksOf)
    .filter(({ language, mark }) => language === 'sh' && mark === 'show')
    .flatMap(({ code }) => commandsOf(code))
  const inText = [...read('README.md').matchAll(/`(docker compose [^`]*)`/g)].map(([, command = '']) => command)
  const keys = [...Object.keys(runBy), ...notRun]

  expect([...shown, ...inText].filter((command) => !keys.some((key) => command.includes(key)))).toEqual([])
  expect(keys.filter((key) => ![...shown, ...inText].some((command) => command.includes(key)))).toEqual([])
  for (const [file, words] of Object.values(runBy)) expect(read(file)).toContain(words)
})

/** Gives the commands of a block, without comments and without lines that are written into a file. */
const commandsOf = (code: string): string[] =>
  code
    .replaceAll(/<<'end'\n[^]*?\nend$/gm, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)# .*$/, ''))
    .filter((line) => line !== '')

/** Parts of commands that pages show, each with the file of the test that runs such a command, and the words with which the test does so. */
const runBy: Readonly<Record<string, readonly [file: string, words: string]>> = {
  // Started for every end-to-end test, for example e2e/tests/starter.long.test.ts.
  'npm start': ['libs/testing/src/herald.ts', "'tools/src/start.ts'"],
  // Runs this very test.
  'npm test': ['package.json', 'tools/src/test.ts'],
  'npm run nats-users': ['e2e/tests/starter.long.test.ts', 'tools/src/write-nats-users.ts'],
  'npm run queue': ['tools/src/set-up.integration.test.ts', "'tools/src/set-up.ts', 'queue'"],
  'docker compose up -d --build --wait': ['e2e/compose/main.ts', "['up', '-d', '--build', '--wait'"],
  'docker compose exec gateway cat /run/secrets/ADMIN_TOKEN': ['e2e/compose/main.ts', "'gateway', 'cat', '/run/secrets/ADMIN_TOKEN'"],
  'docker compose up -d --no-recreate --scale': ['e2e/compose/containers.test.ts', "'--no-recreate', '--wait', '--scale'"],
  'docker compose down': ['e2e/compose/main.ts', "['down', '-v'"],
  'exec postgres pg_dump -U herald -Fc -f /tmp/herald.dump herald': [
    'e2e/compose/backup.test.ts',
    "'-Fc', '-f', '/tmp/herald.dump', 'herald'",
  ],
  'docker compose run --rm migrate': ['e2e/compose/backup.test.ts', "['run', '--rm', '--no-deps', 'migrate']"],
  'pg_restore -U herald -d herald --clean --if-exists --exit-on-error': [
    'e2e/compose/backup.test.ts',
    "'--clean', '--if-exists', '--exit-on-error'",
  ],
  'docker compose -f docker-compose.small.yml up -d --build --wait': ['e2e/compose/main.ts', "{ stack: 'small' }"],
  'docker compose -f docker-compose.yml -f docker-compose.cluster.yml up -d --build --wait': [
    'e2e/cluster/compose-scenario.ts',
    "compose('up', '-d', '--build', '--wait'",
  ],
  'docker compose -f docker-compose.yml -f docker-compose.cluster.yml kill': [
    'e2e/cluster/compose-scenario.ts',
    "compose('kill', service)",
  ],
  'docker compose up -d --wait': ['e2e/compose/backup.test.ts', "['up', '-d', '--wait']"],
}

/** Parts of commands that no test runs: they set variables, copy files, or install programs of other projects. */
const notRun = ['BASE=http', 'docker compose cp', 'mkdir ../tracing', 'npm install --prefix ../tracing', 'cat > ../tracing']
