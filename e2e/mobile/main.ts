// `npm run test:mobile`: compiles sdks/kotlin and runs it against a real gateway, and parses sdks/swift and the Swift blocks of the guide. Needs Java 17 or
// later. The compiler (an npm package) is fetched once into .tools/.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { removeDataDir, startHerald } from '@herald/testing/herald'
import { walkBusy, walkKotlin } from './kotlin.ts'
import { faultsOfSwift } from './swift.ts'

const root = resolve(import.meta.dirname, '../..')
const kotlin = '2.4.20'
const failed: string[] = []
const check = (what: string, isRight: boolean, found: unknown) => {
  console.log(`${isRight ? 'good' : 'bad '} ${what}${isRight ? '' : `: ${JSON.stringify(found)}`}`)
  if (!isRight) failed.push(what)
}

for (const { name, faults } of faultsOfSwift(root)) check(`${name} parses`, faults.length === 0, faults)

if (spawnSync('java', ['-version']).status !== 0) {
  console.error('Java is missing: install a JDK or JRE 17 or later, such as openjdk-17-jre-headless of Debian.')
  process.exit(1)
}
const work = mkdtempSync(join(tmpdir(), 'herald-mobile-'))
const dataDir = mkdtempSync(join(tmpdir(), 'herald-mobile-data-'))
try {
  const compiler = fetchCompiler()
  const jar = join(work, 'herald.jar')
  const testFiles = ['Main.kt', 'Build.kt'].map((name) => join(root, 'sdks/kotlin/test', name))
  const compiled = compile([join(root, 'sdks/kotlin/Herald.kt'), ...testFiles], jar)
  check('Herald.kt compiles without a warning', compiled.status === 0 && compiled.stderr === '', compiled.stderr)
  const blocks = kotlinBlocks()
  blocks.forEach((code, place) =>
    writeFileSync(join(work, `Block${place}.kt`), `package guide${place}\n\nimport dev.herald.Herald\n\nfun block() {\n${code}\n}\n`),
  )
  const guide = compile(
    [join(root, 'sdks/kotlin/Herald.kt'), ...blocks.map((_, place) => join(work, `Block${place}.kt`))],
    join(work, 'guide.jar'),
  )
  check(`${blocks.length} Kotlin blocks of the guide compile`, guide.status === 0 && blocks.length > 0, guide.stderr)

  for (const { what, isRight, found } of await walkBusy(jar, work)) check(what, isRight, found)
  const herald = await startHerald({ dataDir })
  try {
    for (const { what, isRight, found } of await walkKotlin(herald, jar, work)) check(what, isRight, found)
  } finally {
    await herald.stop()
  }

  function compile(files: string[], to: string) {
    return spawnSync(join(compiler, 'bin', 'kotlinc'), [...files, '-include-runtime', '-d', to], { encoding: 'utf8', timeout: 300_000 })
  }
} finally {
  rmSync(work, { recursive: true, force: true })
  removeDataDir(dataDir)
}
console.log(failed.length === 0 ? '\nmobile: all good' : `\nmobile: ${failed.length} bad`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Gives the folder of the Kotlin compiler, which is fetched when it is missing. */
function fetchCompiler(): string {
  const home = join(root, '.tools', `kotlin-${kotlin}`)
  const compiler = join(home, 'node_modules', 'kotlin-compiler')
  if (!existsSync(compiler)) {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'package.json'), '{"private":true}')
    const got = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `kotlin-compiler@${kotlin}`], {
      cwd: home,
      encoding: 'utf8',
    })
    if (got.status !== 0) throw new Error(`the Kotlin compiler could not be fetched:\n${got.stderr}`)
  }
  return compiler
}

function kotlinBlocks(): string[] {
  const page = readFileSync(join(root, 'docs/guide/android.md'), 'utf8')
  return [...page.matchAll(/^```kotlin check\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? '')
}
