// `npm test`, `test:rest`, `test:all`: checks and tests, also after a failure (docs/decisions/0006-how-herald-is-tested.md). `--affected=<base>`
// leaves out untouched projects. `--shard=<n>/<of>` runs a part; the first has the checks. `npm test -- <arguments>` runs vitest alone.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { affectedProjects } from './affected.ts'
import { runCommand, runQuietly } from './run-command.ts'
import { readTestOptions } from './test-options.ts'
import { countsLine, countTests, notRunLine, readReport, slowestFiles, type Report } from './test-report.ts'
import { root } from './workspace.ts'

type Check = { name: string; command: string; args: string[]; environment?: NodeJS.ProcessEnv; remedy: string }

const quickChecks: Check[] = [
  { name: 'format', command: 'oxfmt', args: ['--check', '.'], remedy: 'npm run format' },
  { name: 'boundaries', command: 'node', args: ['tools/src/check-boundaries.ts'], remedy: 'npm run boundaries' },
  { name: 'specification', command: 'node', args: ['tools/src/check-specification.ts'], remedy: 'npm run specification' },
  { name: 'generated pages', command: 'node', args: ['tools/src/write-docs.ts', '--check'], remedy: 'npm run docs' },
]
/** Tests use these pages. The build also checks that they are not too large. */
const pages: Check = { name: 'pages that are served', command: 'node', args: ['tools/src/build-pages.ts'], remedy: 'npm run pages' }
const lint: Check = { name: 'lint', command: 'oxlint', args: ['--type-aware'], remedy: 'npm run lint' }
/**
 * Every check of types. `.` checks all projects for Node as one program: 20 s of CPU instead of 90 s. Code for browsers and other runtimes has other
 * globals, so it has checks of its own.
 */
const allTypes: Check[] = [
  '.',
  'apps/dashboard',
  'apps/dashboard/tsconfig.node.json',
  'sdks/web',
  'sdks/web/tsconfig.tests.json',
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
  // Without this Nx would start a daemon that outlives the test.
  environment: { NX_DAEMON: 'false' },
  remedy: 'npm run typecheck',
})

const failed: string[] = []
const testsEnded = Promise.withResolvers<void>()
const { base, shard, forVitest, ...asked } = readTestOptions(process.argv.slice(2))
const affected = base === undefined ? undefined : await affectedProjects({ base })
const isEmpty = affected?.length === 0
/** A tier may have no test of the projects that a change can touch. */
const mayBeEmpty = affected !== undefined
const isOnlyVitest = forVitest.length > 0
const tier = isOnlyVitest ? 'all' : asked.tier
const isChecking = !isOnlyVitest && tier !== 'rest' && (shard?.number ?? 1) === 1

const types = affected ? (isEmpty ? [] : [typesOf(affected.map(({ name }) => name))]) : allTypes
const checks = [...(isChecking ? quickChecks : []), ...(isOnlyVitest ? [] : [pages])]
for (const check of checks) {
  headline(check.name)
  if ((await runCommand(check)) !== 0) failed.push(`${check.name} (${check.remedy})`)
}
const checkedBeside = isChecking ? runLongChecks([lint, ...types]) : Promise.resolve()

headline(affected ? `tests of ${affected.map(({ name }) => name).join(', ') || 'nothing: no project is touched'}` : 'tests')
const nothing: Report = { files: [] }
const projects = (affected ?? []).map((project) => `${project.root}/`)
const { code, report } = isEmpty ? { code: 0, report: nothing } : await runTests([...forVitest, ...projects])
testsEnded.resolve()
await checkedBeside

const counts = countTests(report)
if (code !== 0 || counts.failed > 0) failed.push('tests (npm test -- <file>)')
else if (counts.passed === 0 && !mayBeEmpty) failed.push('tests (none ran)')

if (!isOnlyVitest && report.files.length > 0) console.log(`\nthe slowest test files:\n${slowestFiles(report).join('\n')}`)
if (failed.length > 0) console.log(`\nfailed: ${failed.join(', ')}`)
console.log(`\n${countsLine(counts)}`)
console.log(notRunLine({ tier, longFiles: countLongFiles(), without: leftOut() }))
process.exitCode = failed.length > 0 ? 1 : 0

function countLongFiles(): number {
  return globSync('{apps,e2e,libs,sdks,tools}/**/*.long.{test,integration.test}.{ts,tsx}', { cwd: root, exclude: ['**/node_modules'] })
    .length
}

/** Says what the arguments left out, beside the other tier. */
function leftOut(): string[] {
  if (isOnlyVitest) return [`checks, and tests that do not match ${forVitest.join(' ')}`]
  return [
    ...(base === undefined ? [] : [`projects that nothing since ${base} can have touched`]),
    ...(shard === undefined ? [] : [`the other ${shard.of - 1} of ${shard.of} shards`]),
  ]
}

/** Runs lint and types one after the other. Their output is shown after the tests have ended, so that lines do not mix. */
async function runLongChecks(longChecks: Check[]): Promise<void> {
  const said: string[] = []
  for (const check of longChecks) {
    const { code: exitCode, output } = await runQuietly(check)
    said.push(`\n== ${check.name} ==\n${output}`)
    if (exitCode !== 0) failed.push(`${check.name} (${check.remedy})`)
  }
  await testsEnded.promise
  for (const text of said) process.stdout.write(text)
}

/** Runs vitest. The report is empty when vitest ended without writing a report. */
async function runTests(args: string[]): Promise<{ code: number; report: Report }> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-test-'))
  const file = join(directory, 'report.json')
  const exitCode = await runCommand({
    command: 'vitest',
    args: [
      'run',
      '--reporter=default',
      '--reporter=./tools/src/report-writer.ts',
      ...(shard ? [`--shard=${shard.number}/${shard.of}`] : []),
      ...(mayBeEmpty ? ['--passWithNoTests'] : []),
      ...args,
    ],
    environment: { HERALD_TEST_REPORT: file, HERALD_TIER: tier },
  })
  const written = existsSync(file) ? readReport(readFileSync(file, 'utf8')) : nothing
  rmSync(directory, { recursive: true, force: true })
  return { code: exitCode, report: written }
}

function headline(name: string): void {
  console.log(`\n== ${name} ==`)
}
