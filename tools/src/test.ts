// `npm test`: runs every check and every test, even after one has failed. Lint and types take long, so they run beside the tests, which wait for
// servers half of the time. The output of lint and types is shown after the tests. At the very end the few test files that failed run a second time,
// alone (docs/decisions/0060-a-second-run-for-a-busy-machine.md).
// `npm test -- --affected=<base>` leaves out the types and tests of projects that no change since <base> can have touched. `npm test -- <arguments>`
// runs only vitest, once, with these arguments.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { affectedProjects } from './affected.ts'
import { runCommand, runQuietly } from './run-command.ts'
import { countsLine, countTests, filesToRunAgain, readReport, slowestFiles, withSecondRun, type Report } from './test-report.ts'

type Check = { name: string; command: string; args: string[]; environment?: NodeJS.ProcessEnv; remedy: string }

const quickChecks: Check[] = [
  { name: 'format', command: 'oxfmt', args: ['--check', '.'], remedy: 'npm run format' },
  { name: 'boundaries', command: 'node', args: ['tools/src/check-boundaries.ts'], remedy: 'npm run boundaries' },
  { name: 'specification', command: 'node', args: ['tools/src/check-specification.ts'], remedy: 'npm run specification' },
  // Tests in browsers use these pages. The build also checks that they are not too large.
  { name: 'pages that are served', command: 'node', args: ['tools/src/build-pages.ts'], remedy: 'npm run pages' },
  { name: 'generated pages', command: 'node', args: ['tools/src/write-docs.ts', '--check'], remedy: 'npm run docs' },
]
const lint: Check = { name: 'lint', command: 'oxlint', args: ['--type-aware'], remedy: 'npm run lint' }
/**
 * Every check of types. The first one (`.`) checks all projects for Node as one program, which takes 20 s of CPU instead of 90 s: alone, each project
 * would read the libraries again. Code that runs in browsers or other runtimes has other globals, so each of these projects has a check of its own.
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
const nothing: Report = { unhandledErrors: 0, files: [] }
let { code, report } = affected?.length === 0 ? { code: 0, report: nothing } : await runTests(vitestArgs)
testsEnded.resolve()
await checkedBeside

const again = isWhole && code !== 0 ? filesToRunAgain(report) : []
let passedNow: string[] = []
if (again.length > 0) {
  headline(`second run of ${again.join(', ')}`)
  const second = await runTests(again)
  ;({ report, passedNow } = withSecondRun(report, second.report))
  code = second.code
}

const counts = countTests(report)
if (code !== 0 || counts.failed > 0) failed.push('tests (npm test -- <file>)')
else if (counts.passed === 0 && affected?.length !== 0) failed.push('tests (none ran)')

if (isWhole && report.files.length > 0) console.log(`\nthe slowest test files:\n${slowestFiles(report).join('\n')}`)
if (failed.length > 0) console.log(`\nfailed: ${failed.join(', ')}`)
if (passedNow.length > 0) console.log(`\n${passedNow.map((test) => `passed on the second run: ${test}`).join('\n')}`)
console.log(`\n${countsLine(counts)}`)
process.exitCode = failed.length > 0 ? 1 : 0

/** Runs lint and types one after the other. Their output is shown after the tests have ended, so that lines do not mix. */
async function runLongChecks(): Promise<void> {
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
    args: ['run', '--reporter=default', '--reporter=./tools/src/report-writer.ts', ...args],
    environment: { HERALD_TEST_REPORT: file },
  })
  const written = existsSync(file) ? readReport(readFileSync(file, 'utf8')) : nothing
  rmSync(directory, { recursive: true, force: true })
  return { code: exitCode, report: written }
}

function headline(name: string): void {
  console.log(`\n== ${name} ==`)
}
