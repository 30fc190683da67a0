// `npm run specification`: checks that every cited rule exists, and that every mentioned document is in the repository. Prints what is wrong and
// exits with 1. Rules that no test cites are listed, and do not make the check fail.
import { checkSpecification } from './specification.ts'
import { root } from './workspace.ts'

const { rules, tested, citations, findings } = checkSpecification(root)
const untested = rules.filter((rule) => !tested.has(rule))
if (untested.length > 0) console.log(`${untested.length} rules that no test cites:\n${untested.map((rule) => `  ${rule}`).join('\n')}\n`)
for (const { file, line, message } of findings) console.error(`${file}:${line}: ${message}`)
// When no rules were found, the check ran in the wrong directory and must fail.
if (findings.length > 0 || rules.length === 0) {
  console.error(`\n${findings.length} places cite what is not there (${rules.length} rules; docs/specification/README.md says how to cite)`)
  process.exit(1)
}
console.log(`${rules.length} rules, ${tested.size} of them cited by tests, ${citations} citations in all`)
