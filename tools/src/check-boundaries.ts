// `npm run boundaries`: checks the import rules of the workspace. It prints what breaks them and exits 1, or prints how many files it has checked.
import { checkBoundaries } from './boundaries.ts'
import { root } from './workspace.ts'

const { files, findings } = checkBoundaries(root)
for (const { file, line, message } of findings) console.error(`${file}:${line}: ${message}`)
// Without any files the check looks in the wrong place, which must not pass as success.
if (findings.length > 0 || files === 0) {
  console.error(`\n${findings.length} imports break the rules (${files} files; the rules stand in tools/src/boundary-rules.ts)`)
  process.exit(1)
}
console.log(`${files} files keep the import rules`)
