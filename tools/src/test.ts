// `npm test`: every check and every test, all of them even when one fails. `npm test -- --affected=<base>` leaves out the types and tests of
// projects that no change since <base> can have touched. `npm test -- <arguments>` runs vitest alone with them.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { affectedProjects } from './affected.ts'
import { runCommand } from './run-command.ts'
import { countsLine, readCounts, type TestCounts } from './test-report.ts'

const checks: { name: string; command: string; args: string[]; environment?: NodeJS.ProcessEnv; remedy: string }[] = [
  { name: 'format', command: 'oxfmt', args: ['--check', '.'], remedy: 'npm run format' },
  { name: 'lint', command: 'oxlint', args: ['--type-aware'], remedy: 'npm run lint' },
  { name: 'boundaries', command: 'node', args: ['tools/src/check-boundaries.ts'], remedy: 'npm run boundaries' },
  { name: 'specification', command: 'node', args: ['tools/src/check-specification.ts'], remedy: 'npm run specification' },
  {
    name: 'types',
    command: 'nx',
    args: ['run-many', '-t', 'typecheck', '--outputStyle=static'],
    // A daemon would outlive the test.
    environment: { NX_DAEMON: 'false' },
    remedy: 'npm run typecheck',
  },
  { name: 'generated pages', command: 'node', args: ['tools/src/write-docs.ts', '--check'], remedy: 'npm run docs' },
]

const failed: string[] = []
const [base] = process.argv.flatMap((argument) => /^--affected=(.+)$/.exec(argument)?.[1] ?? [])
const affected = base === undefined ? undefined : await affectedProjects({ base })
const vitestArgs = affected ? affected.map(({ root }) => `${root}/`) : process.argv.slice(2)

if (vitestArgs.length === 0 || affected) {
  for (const check of checks) {
    headline(check.name)
    const only = check.name === 'types' && affected ? [`--projects=${affected.map(({ name }) => name).join(',')}`] : []
    if (only.length > 0 && affected?.length === 0) continue
    const code = await runCommand(check.command, [...check.args, ...only], check.environment)
    if (code !== 0) failed.push(`${check.name} (${check.remedy})`)
  }
}

headline(affected ? `tests of ${affected.map(({ name }) => name).join(', ') || 'nothing: no project is touched'}` : 'tests')
const counts = affected?.length === 0 ? { passed: 0, failed: 0, skipped: 0 } : await runTests()
if (failed.length > 0) console.log(`\nfailed: ${failed.join(', ')}`)
console.log(`\n${countsLine(counts)}`)
process.exitCode = failed.length > 0 ? 1 : 0

async function runTests(): Promise<TestCounts> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-test-'))
  const file = join(directory, 'report.json')
  const code = await runCommand('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...vitestArgs])
  const counts = existsSync(file) ? readCounts(readFileSync(file, 'utf8')) : { passed: 0, failed: 0, skipped: 0 }
  rmSync(directory, { recursive: true, force: true })

  if (code !== 0 || counts.failed > 0) failed.push('tests (npm test -- <file>)')
  else if (counts.passed === 0) failed.push('tests (none ran)')
  return counts
}

function headline(name: string): void {
  console.log(`\n== ${name} ==`)
}
