// `npm run test:mobile`: compiles sdks/kotlin and sdks/swift, runs both against a real gateway and on phones of stubs, compiles the frameworks' Android
// parts against stubs, and parses the guide's Swift. Needs root, Debian and Java 17 or later; fetches the compilers once into .tools/.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { removeDataDir, startHerald } from '@herald/testing/herald'
import { points } from '@herald/tools/conformance'
import { writeReactSpec } from './react-spec.ts'
import { buildSwift, type SwiftBuild } from './swift-program.ts'
import { faultsOfSwift } from './swift.ts'
import { walkBusy, walkDevice, walkPhone, type Finding, type Program } from './walk.ts'

const root = resolve(import.meta.dirname, '../..')
const kotlin = '2.4.20'
/** The Android parts of all SDKs, and stubs of the classes of Android, Firebase and the frameworks that they name. */
const androidSources = [
  'sdks/kotlin/src/main/kotlin/dev/herald/android/*.kt',
  'sdks/{react-native,capacitor,flutter}/android/src/main/kotlin/**/*.kt',
  'sdks/kotlin/test/stubs/*.kt',
]
const failed: string[] = []
/** The findings that were right. */
const shown = new Set<string>()
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
let swift: SwiftBuild | undefined
try {
  const compiler = fetchCompiler()
  const jar = join(work, 'herald.jar')
  const sources = globSync('sdks/kotlin/src/main/kotlin/dev/herald/*.kt', { cwd: root }).map((file) => join(root, file))
  const testFiles = ['Main.kt', 'Build.kt'].map((name) => join(root, 'sdks/kotlin/test', name))
  const compiled = compile([...sources, ...testFiles], jar)
  check('Herald.kt and HeraldBridge.kt compile without a warning', compiled.status === 0 && compiled.stderr === '', compiled.stderr)
  const blocks = kotlinBlocks()
  blocks.forEach((code, place) =>
    writeFileSync(join(work, `Block${place}.kt`), `package guide${place}\n\nimport dev.herald.Herald\n\nfun block() {\n${code}\n}\n`),
  )
  const guide = compile([...sources, ...blocks.map((_, place) => join(work, `Block${place}.kt`))], join(work, 'guide.jar'))
  check(`${blocks.length} Kotlin blocks of the guide compile`, guide.status === 0 && blocks.length > 0, guide.stderr)
  const stubbed = globSync(androidSources, { cwd: root }).map((file) => join(root, file))
  const phoneJar = join(work, 'android.jar')
  const phoneFile = join(root, 'sdks/kotlin/test/Phone.kt')
  const android = compile([...sources, ...stubbed, phoneFile, ...writeReactSpec(root, work)], phoneJar)
  check(
    'the Android module and its parts for React Native, Capacitor and Flutter compile against stubs',
    android.status === 0,
    android.stderr,
  )
  const kotlinPrograms = [kotlinProgram('Herald.kt', jar), kotlinProgram('HeraldBridge.kt', jar, 'bridge')]

  try {
    swift = buildSwift(root)
    check(`${swift.version} compiles sdks/swift and the plugins of Capacitor and Flutter on Linux, with stubs`, true, undefined)
  } catch (error) {
    check('sdks/swift compiles on Linux', false, String(error))
  }

  const programs = [
    ...kotlinPrograms.map((program) => ({ program, folder: work })),
    ...(swift?.programs ?? []).map((program) => ({ program, folder: swift?.folder ?? '' })),
  ]
  const phones = [
    { program: { ...kotlinProgram('HeraldPushes.kt', phoneJar), command: phoneCommand(phoneJar) }, folder: work },
    ...programs.filter(({ program }) => program.name === 'HeraldPushes.swift'),
  ]
  for (const { program, folder } of phones) show(program.name, await walkPhone(program, join(folder, `phone-${program.name}`)))
  for (const { program, folder } of programs) show(program.name, await walkBusy(program, join(folder, `busy-${program.name}`)))
  const herald = await startHerald({ dataDir })
  try {
    for (const { program, folder } of programs) show(program.name, await walkDevice(herald, program, join(folder, `state-${program.name}`)))
  } finally {
    await herald.stop()
  }
  showConformance('Kotlin', ['Herald.kt', 'HeraldBridge.kt'], 'HeraldPushes.kt')
  showConformance('Swift', ['Herald.swift', 'HeraldPushes.swift'], 'HeraldPushes.swift')

  function compile(files: string[], to: string) {
    return spawnSync(join(compiler, 'bin', 'kotlinc'), [...files, '-include-runtime', '-d', to], { encoding: 'utf8', timeout: 900_000 })
  }
} finally {
  rmSync(work, { recursive: true, force: true })
  if (swift) rmSync(swift.folder, { recursive: true, force: true })
  removeDataDir(dataDir)
}
console.log(failed.length === 0 ? '\nmobile: all good' : `\nmobile: ${failed.length} bad`)
process.exitCode = failed.length === 0 ? 0 : 1

function show(name: string, findings: readonly Finding[]): void {
  for (const { what, isRight, found } of findings) {
    check(`${name}: ${what}`, isRight, found)
    if (isRight) shown.add(`${name}: ${what}`)
  }
}

/** Says for each of the twenty points of conformance whether it was run (tools/src/conformance.ts): by all programs of a platform, or on its phone. */
function showConformance(platform: 'Kotlin' | 'Swift', names: readonly string[], phone: string): void {
  for (const { number, walk, phone: onPhone = {}, why } of points) {
    const findings = [
      ...names.flatMap((name) => walk.map((what) => `${name}: ${what}`)),
      ...(onPhone[platform] ?? []).map((what) => `${phone}: ${what}`),
    ]
    if (findings.length === 0) console.log(`none ${platform}: point ${number} was not run: ${why}`)
    else
      check(
        `${platform}: point ${number} was run`,
        findings.every((what) => shown.has(what)),
        findings,
      )
  }
}

/** Gives the command line of the program that runs HeraldPushes.kt with stubs in place of Android and Firebase. */
function phoneCommand(jar: string): Program['command'] {
  return (baseUrl, publicKey, home) => ({
    program: 'java',
    given: ['--add-opens', 'java.base/java.net=ALL-UNNAMED', '-cp', jar, 'dev.herald.test.PhoneKt', baseUrl, publicKey, home],
  })
}

/**
 * On a plain JVM the client must set a private field to send a PATCH, and may do so only when java.net is opened to it. Android accepts PATCH
 * (Herald.kt).
 */
function kotlinProgram(name: string, jar: string, ...more: string[]): Program {
  return {
    name,
    platform: 'android',
    command: (baseUrl, publicKey, home) => ({
      program: 'java',
      given: ['--add-opens', 'java.base/java.net=ALL-UNNAMED', '-jar', jar, baseUrl, publicKey, home, ...more],
    }),
    osVersion: '16',
    deviceModel: 'Pixel 9',
    tellsVersion: true,
    answersReports: true,
    reportsFile: 'herald.reports',
  }
}

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
