// Writes the TypeScript types of both API documents. With the name of a document it prints the types of that one: `node write.ts docs/openapi.json`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeTypes } from './describe-types.ts'

const root = join(import.meta.dirname, '../../..')

const targets = [
  { document: 'docs/openapi.administration.json', types: 'apps/dashboard/src/api/schema.gen.ts' },
  { document: 'docs/openapi.json', types: 'sdks/node/src/schema.gen.ts' },
]

const [only] = process.argv.slice(2)
for (const { document, types } of targets) {
  if (only !== undefined && only !== document) continue
  const written = await describeTypes(JSON.parse(readFileSync(join(root, document), 'utf8')), document)
  if (only === undefined) writeFileSync(join(root, types), written)
  else process.stdout.write(written)
}
