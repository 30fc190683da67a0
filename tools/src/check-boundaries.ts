// `npm run boundaries`: checks the import rules of the workspace. Prints the places that break them and exits with 1, or prints how many files were
// checked.
import { checkBoundaries } from './boundaries.ts'
import { root } from './workspace.ts'

const { files, findings } = checkBoundaries(root)
for (const { file, line, message } of findings) console.error(`${file}:${line}: ${message}`)
// When no files were found, the check ran in the wrong directory and must fail.
if (findings.length > 0 || files === 0) {
  console.error(`\n${findings.length} imports break the rules (${files} files; the rules stand in tools/src/boundary-rules.ts)`)
  process.exit(1)
}
console.log(`${files} files keep the import rules`)
