// `npm run boundaries`: the import rules of the workspace. Prints what breaks them and exits 1, or says how much it looked at.
import { checkBoundaries } from './boundaries.ts'
import { root } from './workspace.ts'

const { files, findings } = checkBoundaries(root)
for (const { file, line, message } of findings) console.error(`${file}:${line}: ${message}`)
// No files would mean that the check looks in the wrong place, which must not read as success.
if (findings.length > 0 || files === 0) {
  console.error(`\n${findings.length} imports break the rules (${files} files; the rules stand in tools/src/boundary-rules.ts)`)
  process.exit(1)
}
console.log(`${files} files keep the import rules`)
