// `npm run siege` attacks Herald as was tried by hand, each attack a test of the usual suite, and prints what held. Words after `--` choose attacks
// by name: `npm run siege -- NATS Postgres`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'
import { siege, siegeTable } from './siege-tests.ts'
import { readReport } from './test-report.ts'

const words = process.argv.slice(2).map((word) => word.toLowerCase())
const chosen = siege.filter(([what]) => words.length === 0 || words.some((word) => what.toLowerCase().includes(word)))
const directory = mkdtempSync(join(tmpdir(), 'herald-siege-'))
const file = join(directory, 'report.json')
const code = await runCommand({
  command: 'vitest',
  args: ['run', '--reporter=default', '--reporter=./tools/src/report-writer.ts', ...chosen.flatMap(([, files]) => files)],
  environment: { HERALD_TEST_REPORT: file, HERALD_TIER: 'all' },
})
const { lines, held } = siegeTable(readReport(readFileSync(file, 'utf8')), chosen)
rmSync(directory, { recursive: true, force: true })
console.log(`\n${lines.join('\n')}`)
process.exitCode = held ? code : 1
