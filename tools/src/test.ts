// `npm test`: every check and every test, all of them even when one fails. The checks that take long, of lint and types, run beside the tests, which
// wait for servers half of their time; what they say comes after. `npm test -- --affected=<base>` leaves out the types and tests of
// projects that no change since <base> can have touched. `npm test -- <arguments>` runs vitest alone with them.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { affectedProjects } from './affected.ts'
import { runCommand, runQuietly } from './run-command.ts'
import { countsLine, readCounts, type TestCounts } from './test-report.ts'

type Check = { name: string; command: string; args: string[]; environment?: NodeJS.ProcessEnv; remedy: string }

const quickChecks: Check[] = [
  { name: 'format', command: 'oxfmt', args: ['--check', '.'], remedy: 'npm run format' },
  { name: 'boundaries', command: 'node', args: ['tools/src/check-boundaries.ts'], remedy: 'npm run boundaries' },
  { name: 'specification', command: 'node', args: ['tools/src/check-specification.ts'], remedy: 'npm run specification' },
  // What the tests in browsers are served, and the sizes that it may have.
  { name: 'pages that are served', command: 'node', args: ['tools/src/build-pages.ts'], remedy: 'npm run pages' },
  { name: 'generated pages', command: 'node', args: ['tools/src/write-docs.ts', '--check'], remedy: 'npm run docs' },
]
const lint: Check = { name: 'lint', command: 'oxlint', args: ['--type-aware'], remedy: 'npm run lint' }
/**
 * All projects for Node as one program: 20 s of CPU instead of 90, since each project alone reads the libraries again. What runs in browsers, or
 * on other runtimes too, has other globals and so a program of its own.
 */
const allTypes: Check[] = [
  '.',
  'apps/dashboard',
  'apps/dashboard/tsconfig.node.json',
  'sdks/web',
  'sdks/node',
  'sdks/cli',
  'examples/shop',
].map((project) => ({
  name: project === '.' ? 'types' : `types of ${project}`,
  command: 'tsc',
  args: ['-p', project],
  remedy: 'npm run typecheck',
}))
const typesOf = (projects: string[]): Check => ({
  name: 'types',
  command: 'nx',
  args: ['run-many', '-t', 'typecheck', '--outputStyle=static', `--projects=${projects.join(',')}`],
  // A daemon would outlive the test.
  environment: { NX_DAEMON: 'false' },
  remedy: 'npm run typecheck',
})

const failed: string[] = []
const testsEnded = Promise.withResolvers<void>()
const [base] = process.argv.flatMap((argument) => /^--affected=(.+)$/.exec(argument)?.[1] ?? [])
const affected = base === undefined ? undefined : await affectedProjects({ base })
const vitestArgs = affected ? affected.map(({ root }) => `${root}/`) : process.argv.slice(2)

const types = affected ? (affected.length === 0 ? [] : [typesOf(affected.map(({ name }) => name))]) : allTypes
const longChecks = [lint, ...types]
const isWhole = vitestArgs.length === 0 || affected !== undefined

for (const check of isWhole ? quickChecks : []) {
  headline(check.name)
  if ((await runCommand(check)) !== 0) failed.push(`${check.name} (${check.remedy})`)
}
const checkedBeside = isWhole ? runLongChecks() : Promise.resolve()

headline(affected ? `tests of ${affected.map(({ name }) => name).join(', ') || 'nothing: no project is touched'}` : 'tests')
const counts = affected?.length === 0 ? { passed: 0, failed: 0, skipped: 0 } : await runTests()
testsEnded.resolve()
await checkedBeside
if (failed.length > 0) console.log(`\nfailed: ${failed.join(', ')}`)
console.log(`\n${countsLine(counts)}`)
process.exitCode = failed.length > 0 ? 1 : 0

/** One after the other. What they say waits for the tests to end, so that their lines do not mix. */
async function runLongChecks(): Promise<void> {
  const said: string[] = []
  for (const check of longChecks) {
    const { code, output } = await runQuietly(check)
    said.push(`\n== ${check.name} ==\n${output}`)
    if (code !== 0) failed.push(`${check.name} (${check.remedy})`)
  }
  await testsEnded.promise
  for (const text of said) process.stdout.write(text)
}

async function runTests(): Promise<TestCounts> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-test-'))
  const file = join(directory, 'report.json')
  const code = await runCommand({
    command: 'vitest',
    args: ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...vitestArgs],
  })
  const counts = existsSync(file) ? readCounts(readFileSync(file, 'utf8')) : { passed: 0, failed: 0, skipped: 0 }
  rmSync(directory, { recursive: true, force: true })

  if (code !== 0 || counts.failed > 0) failed.push('tests (npm test -- <file>)')
  else if (counts.passed === 0) failed.push('tests (none ran)')
  return counts
}

function headline(name: string): void {
  console.log(`\n== ${name} ==`)
}
