// `npm run release:check`: writes the bill of materials (dist/sbom.cdx.json) from package-lock.json. Fails for a dependency that it lacks, and for a
// high or critical vulnerability that the registry knows of in a release.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runQuietly } from './run-command.ts'
import { makeSbom, missingIn, severeIn, shippedPackages, type Lock } from './sbom.ts'
import { root } from './workspace.ts'
import { writeWhole } from './write-whole.ts'

const auditSeconds = 60

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
const required = shippedPackages(lock, isImported)
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
const sbom = makeSbom(lock, required, commit)
mkdirSync(join(root, 'dist'), { recursive: true })
writeWhole(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`, 0o644)
const shown = sbom.components.filter(({ scope }) => scope === 'required').length
console.log(`dist/sbom.cdx.json: ${sbom.components.length} packages, ${shown} of them in a release`)
const missing = missingIn(sbom, installedManifests())
if (missing.length > 0) fail(`the bill of materials lacks ${missing.join(', ')}`)

const { output } = await runQuietly({ command: 'timeout', args: [String(auditSeconds), 'npm', 'audit', '--json'] })
const severe = severeIn(output, required)
if (severe === undefined)
  console.log(`npm audit: the registry gave no answer within ${auditSeconds} s, so nothing is known about vulnerabilities`)
else if (severe.length > 0) fail(`npm audit: ${severe.join(', ')}`)
else console.log('npm audit: no high or critical vulnerability in what a release holds')

function fail(why: string): void {
  console.error(why)
  process.exitCode = 1
}

function isImported(project: string, name: string): boolean {
  const from = new RegExp(`from '${name}(/|')|import '${name}(/|')|@import ['"]${name}(/|['"])`)
  return globSync(`${project}/src/**/*.{ts,tsx,css}`, { cwd: root })
    .filter((file) => !/\.test\.tsx?$|\/testing\//.test(file))
    .some((file) => from.test(readFileSync(join(root, file), 'utf8')))
}

/** Reads what is installed for the dependencies of the projects, which is another source than the lock file. */
function installedManifests() {
  return globSync('{apps,libs,sdks}/*/package.json', { cwd: root })
    .filter((file) => !/libs\/(testing|openapi-types)\//.test(file))
    .flatMap((file) => Object.keys((JSON.parse(readFileSync(join(root, file), 'utf8')) as { dependencies?: object }).dependencies ?? {}))
    .filter((name) => !name.startsWith('@herald/'))
    .map((name) => JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { name: string; version: string })
}
