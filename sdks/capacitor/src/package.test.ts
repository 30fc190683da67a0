import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../build.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-capacitor-'))
const modules = join(directory, 'node_modules')
const installed = join(modules, '@herald/capacitor')
beforeAll(async () => {
  mkdirSync(installed, { recursive: true })
  await buildPackage(installed)
  mkdirSync(join(modules, '@capacitor'))
  const core = dirname(createRequire(import.meta.url).resolve('@capacitor/core/package.json'))
  symlinkSync(core, join(modules, '@capacitor/core'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function run(program: string): unknown {
  writeFileSync(join(directory, 'program.mjs'), program)
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', 'program.mjs'], { cwd: directory, encoding: 'utf8' })
  return stderr === '' ? JSON.parse(stdout) : stderr
}

test('the package has the files that Capacitor, Gradle and Swift’s package manager look for', () => {
  const files = globSync('**/*', { cwd: installed })
  for (const file of [
    'Package.swift',
    'HeraldCapacitor.podspec',
    'android/build.gradle',
    'android/src/main/AndroidManifest.xml',
    'android/src/main/kotlin/dev/herald/Herald.kt',
    'android/src/main/kotlin/dev/herald/capacitor/HeraldPlugin.kt',
    'ios/Sources/HeraldPlugin/Herald.swift',
    'ios/Sources/HeraldPlugin/HeraldPlugin.swift',
    'ios/Sources/HeraldPlugin/HeraldPushes.swift',
    'dist/index.js',
    'dist/index.cjs',
    'dist/index.d.ts',
    'dist/device.d.ts',
  ])
    expect(files).toContain(file)
})

/** What Capacitor's native part puts into the web view of an app before its scripts. */
const native = `
const asked = []
let emit
globalThis.document = { visibilityState: 'visible', addEventListener: (name, handle) => void (document.change = handle) }
globalThis.androidBridge = {}
globalThis.Capacitor = {
  PluginHeaders: [{ name: 'Herald', methods: [{ name: 'call', rtype: 'promise' }, { name: 'addListener' }, { name: 'removeListener' }] }],
  nativePromise: async (plugin, method, { name, given }) => {
    asked.push(plugin + '.' + name)
    if (name === 'login') throw Object.assign(new Error('No.'), { code: 'forbidden', data: { status: 403 } })
    return { answer: name === 'register' ? 'an-id' : null }
  },
  nativeCallback: (plugin, method, options, callback) => ((emit = callback), Promise.resolve('1')),
}
`

test('the packed script calls the plugin through Capacitor, tells its events, and reports a session on return', () => {
  expect(
    run(`${native}
const { herald } = await import('@herald/capacitor')
await herald.start({ baseUrl: 'https://push.example.com', appKey: 'pk_live_x' })
while (!asked.includes('Herald.listen')) await new Promise(setImmediate)
emit({ name: 'tap', event: { url: 'https://shop.example', action: null, data: {} } })
const taps = []
herald.on('tap', ({ url }) => taps.push(url))
const id = await herald.register()
document.change()
const refused = await herald.login('eve').catch(({ code, status }) => ({ code, status }))
console.log(JSON.stringify({ asked, id, taps, refused }))`),
  ).toEqual({
    asked: ['Herald.start', 'Herald.listen', 'Herald.register', 'Herald.foreground', 'Herald.login'],
    id: 'an-id',
    taps: ['https://shop.example'],
    refused: { code: 'forbidden', status: 403 },
  })
})

test('in a web build each call is rejected with UNIMPLEMENTED', () => {
  const program = `const { herald } = await import('@herald/capacitor')
console.log(JSON.stringify(await herald.register().catch(({ code }) => code)))`
  expect(run(program)).toBe('UNIMPLEMENTED')
})
