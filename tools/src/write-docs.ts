// `npm run docs`: writes the generated pages. With `--check` it only compares them, names the pages that are not up to date and exits with 1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask } from './ask.ts'
import { boards, writeBoard } from './boards.ts'
import { describeAnswers } from './describe-answers.ts'
import { describeCodes } from './describe-codes.ts'
import { describeConfiguration } from './describe-configuration.ts'
import { describeMetrics } from './describe-metrics.ts'
import { describeTopology } from './describe-topology.ts'
import { root } from './workspace.ts'

/** Every generated page. To add a page, add a line here. */
const pages: { path: string; write: () => Promise<string> }[] = [
  { path: 'docs/configuration.md', write: () => formatted('docs/configuration.md', describeConfiguration()) },
  { path: 'docs/topology.md', write: () => formatted('docs/topology.md', describeTopology()) },
  { path: 'docs/metrics.md', write: () => formatted('docs/metrics.md', describeMetrics()) },
  { path: 'docs/provider-answers.md', write: () => formatted('docs/provider-answers.md', describeAnswers()) },
  { path: 'docs/guide/codes.md', write: () => formatted('docs/guide/codes.md', describeCodes()) },
  ...boards.map((board) => ({
    path: `deploy/grafana/${board.uid}.json`,
    write: () => formatted('board.json', Promise.resolve(JSON.stringify(writeBoard(board)))),
  })),
  { path: 'docs/openapi.json', write: () => ask('node', ['apps/gateway/src/describe.ts', 'openapi']) },
  { path: 'docs/openapi.administration.json', write: () => ask('node', ['apps/gateway/src/describe.ts', 'administration']) },
  // The types come after the documents, because they are made from the documents.
  {
    path: 'apps/dashboard/src/api/schema.gen.ts',
    write: () => ask('node', ['libs/openapi-types/src/write.ts', 'docs/openapi.administration.json']),
  },
  { path: 'sdks/node/src/schema.gen.ts', write: () => ask('node', ['libs/openapi-types/src/write.ts', 'docs/openapi.json']) },
  { path: 'sdks/python/herald/operations.py', write: () => ask('node', ['tools/src/write-clients.ts', 'python']) },
  { path: 'sdks/go/operations.go', write: () => ask('node', ['tools/src/write-clients.ts', 'go']) },
]

const onlyCheck = process.argv.includes('--check')
const drifted: string[] = []

for (const { path, write } of pages) {
  const file = join(root, path)
  const wanted = await write()
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) continue
  drifted.push(path)
  if (!onlyCheck) writeFileSync(file, wanted)
}

if (drifted.length === 0) console.log(`${pages.length} generated pages are up to date`)
else if (onlyCheck) {
  console.error(`Not up to date: ${drifted.join(', ')}. Run: npm run docs`)
  process.exitCode = 1
} else console.log(`written: ${drifted.join(', ')}`)

/** Formats a page as `npm run format` does. Otherwise each of the two commands would undo what the other has written. */
async function formatted(path: string, content: Promise<string>): Promise<string> {
  return ask('oxfmt', [`--stdin-filepath=${path}`], await content)
}
