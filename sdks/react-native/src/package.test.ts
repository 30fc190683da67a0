import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../build.ts'

const here = resolve(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'herald-react-native-'))
const modules = join(directory, 'node_modules')
const installed = join(modules, '@herald/react-native')
beforeAll(async () => {
  mkdirSync(installed, { recursive: true })
  await buildPackage(installed)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('the package has every file that React Native, Expo and Xcode look for, none that is only tested', () => {
  expect(
    globSync('**/*', { cwd: installed, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(installed.length + 1))
      .toSorted(),
  ).toEqual([
    'CHANGELOG.md',
    'HeraldReactNative.podspec',
    'LICENSE',
    'README.md',
    'android/build.gradle',
    'android/src/main/AndroidManifest.xml',
    'android/src/main/kotlin/dev/herald/Herald.kt',
    'android/src/main/kotlin/dev/herald/HeraldBridge.kt',
    'android/src/main/kotlin/dev/herald/android/HeraldPushes.kt',
    'android/src/main/kotlin/dev/herald/reactnative/HeraldModule.kt',
    'android/src/main/kotlin/dev/herald/reactnative/HeraldPackage.kt',
    'app.plugin.js',
    'extension/NotificationService.swift',
    'ios/Herald.swift',
    'ios/HeraldPushes.swift',
    'ios/RCTHerald.h',
    'ios/RCTHerald.mm',
    'lib/device.d.ts',
    'lib/index.d.ts',
    'lib/index.js',
    'package.json',
    'src/NativeHerald.ts',
  ])
})

type Codegen = { TypeScriptParser: new () => { parseFile: (path: string) => object } }
type Generator = { generate: (...given: unknown[]) => Map<string, string> }

test('what React Native generates from the specification fits the native code of both platforms', () => {
  const require = createRequire(join(here, 'package.json'))
  const { TypeScriptParser } = require('@react-native/codegen/lib/parsers/typescript/parser') as Codegen
  const generated = (name: string, ...more: unknown[]) => {
    const { generate } = require(`@react-native/codegen/lib/generators/modules/${name}`) as Generator
    return [...generate('HeraldSpec', new TypeScriptParser().parseFile(join(here, 'src/NativeHerald.ts')), ...more).values()].join('\n')
  }
  const java = generated('GenerateModuleJavaSpec', 'dev.herald.reactnative')
  expect(java).toContain('public abstract class NativeHeraldSpec')
  expect(java).toContain('public abstract void call(String name, ReadableMap given, Promise promise);')
  expect(java).toContain('void emitOnEvent(ReadableMap value)')
  const objectiveC = generated('GenerateModuleObjCpp/index').replaceAll(/\s+/g, ' ')
  const ours = readFileSync(join(here, 'ios/RCTHerald.mm'), 'utf8').replaceAll(/\s+/g, ' ')
  const method = /- \(void\)call:.*?reject:\(RCTPromiseRejectBlock\)reject/.exec(objectiveC)?.[0]
  expect(ours).toContain(method)
  expect(objectiveC).toContain('- (void)emitOnEvent:(NSDictionary *)value')
  expect(ours).toContain('[weakSelf emitOnEvent:@{')
  expect(ours).toContain('std::make_shared<facebook::react::NativeHeraldSpecJSI>(params)')
})

/** Stands for React Native: its native modules, whose calls it notes, and the state of the app. */
const framework = `
const handlers = []
export const asked = []
export const emit = (name, event) => handlers.forEach((handle) => handle({ name, event }))
export const AppState = { addEventListener: (type, handle) => void (AppState.change = handle) }
export const TurboModuleRegistry = {
  getEnforcing: (name) => ({
    call: async (called, given) => (asked.push([name, called, given]), { answer: called === 'register' ? 'an-id' : null }),
    onEvent: (handle) => (handlers.push(handle), { remove: () => undefined }),
  }),
}`
const program = `
import { AppState, asked, emit } from 'react-native'
import { herald, HeraldError } from '@herald/react-native'
await herald.start({ baseUrl: 'https://push.example.com', appKey: 'pk_live_x' })
emit('tap', { url: 'https://shop.example', action: null, data: {} })
const taps = []
herald.on('tap', (tap) => taps.push(tap.url))
const id = await herald.register()
AppState.change('background')
AppState.change('active')
console.log(JSON.stringify({ asked: asked.map(([module, called]) => module + '.' + called), id, taps, error: new HeraldError('a', 'b').name }))
`

test('the packed script calls the native module, tells its events and reports a session when the app comes back', () => {
  mkdirSync(join(modules, 'react-native'))
  writeFileSync(join(modules, 'react-native/package.json'), '{"name":"react-native","type":"module","main":"index.js"}')
  writeFileSync(join(modules, 'react-native/index.js'), framework)
  writeFileSync(join(directory, 'program.mjs'), program)
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', 'program.mjs'], { cwd: directory, encoding: 'utf8' })
  expect([stderr, JSON.parse(stdout)]).toEqual([
    '',
    {
      asked: ['Herald.start', 'Herald.listen', 'Herald.register', 'Herald.foreground'],
      id: 'an-id',
      taps: ['https://shop.example'],
      error: 'HeraldError',
    },
  ])
})
