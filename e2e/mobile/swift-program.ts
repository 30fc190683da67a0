import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { unpackDebian } from '@herald/tools/debian'
import type { Program } from './walk.ts'

/** Debian's compiler of this suite needs a newer C library than older Debians have, so it runs in a folder of its own. */
const suite = 'trixie'

export type SwiftBuild = { version: string; warnings: string; programs: Program[]; folder: string }

/**
 * Compiles sdks/swift on Linux, with stubs of UIKit, UserNotifications and ActivityKit and without the words of Objective-C. Gives two programs: one that calls the
 * file, and one that calls through HeraldPushes. Throws an Error with the compiler's words.
 */
export function buildSwift(root: string): SwiftBuild {
  const place = unpackDebian('swift', ['swiftlang', 'libc6-dev', 'libstdc++-14-dev', 'base-files', 'bash', 'coreutils'], suite, true)
  mkdirSync(join(place, 'work'), { recursive: true })
  const folder = mkdtempSync(join(place, 'work/swift-'))
  const inside = `/${relative(place, folder)}`
  const source = join(root, 'sdks/swift')
  cpSync(join(source, 'test'), folder, { recursive: true })
  const plugins = [
    ['Capacitor', 'sdks/capacitor/ios/Sources/HeraldPlugin/HeraldPlugin.swift'],
    ['Flutter', 'sdks/flutter/ios/herald_flutter/Sources/herald_flutter/HeraldPlugin.swift'],
  ] as const
  const sources = ['Herald.swift', 'HeraldPushes.swift', 'NotificationService.swift'].map((file) => [file, join(source, file)] as const)
  for (const [to, from] of [...sources, ...plugins.map(([name, file]) => [`${name}Plugin.swift`, join(root, file)] as const)]) {
    const text = readFileSync(from, 'utf8')
    writeFileSync(
      join(folder, to),
      text
        .replaceAll(/@objc(\(\w+\))?\s/g, '')
        .replaceAll('userNotificationCenter?(', 'userNotificationCenter(')
        // A program on Linux has no Info.plist.
        .replaceAll('Bundle.main.object(forInfoDictionaryKey: name) as? String', 'ProcessInfo.processInfo.environment[name]'),
    )
  }
  /** The compiler asks /proc where it lies. The mount is seen by this command alone and ends with it. */
  const wrapped = (command: string) => [
    '--mount',
    'sh',
    '-c',
    `mount --rbind /proc ${place}/proc && cd / && exec chroot ${place} ${command}`,
  ]
  const compile = (...given: string[]): string => {
    const command = `/bin/bash -c 'cd ${inside} && swiftc -swift-version 5 ${given.join(' ')}'`
    const { status, stderr, stdout } = spawnSync('unshare', wrapped(command), { encoding: 'utf8', timeout: 600_000 })
    if (status !== 0) throw new Error(`swiftc ${given.join(' ')}: ${stderr}${stdout}`)
    return stderr + stdout
  }
  for (const stub of globSync('stubs/*.swift', { cwd: folder })) {
    const name = stub.replace(/^stubs\/|\.swift$/g, '')
    compile('-parse-as-library', '-emit-module', '-emit-library', '-module-name', name, '-o', `lib${name}.so`, stub)
  }
  for (const [name] of plugins)
    compile('-typecheck', '-parse-as-library', '-I', '.', 'Herald.swift', 'HeraldPushes.swift', `${name}Plugin.swift`)
  const libraries = ['-I', '.', '-L', '.', '-lUIKit', '-lUserNotifications', '-lActivityKit', '-Xlinker', '-rpath', '-Xlinker', inside]
  const warnings = compile(...libraries, '-o', 'walk', 'Herald.swift', 'HeraldPushes.swift', 'NotificationService.swift', 'main.swift')
  const program = (name: string, more: string): Program => ({
    name,
    platform: 'ios',
    command: (baseUrl, publicKey, home) => {
      const state = `/${relative(place, home)}`
      return {
        program: 'unshare',
        given: wrapped(`${inside}/walk ${baseUrl} ${publicKey} ${state}${more}`),
        env: { HOME: state, TZ: 'Europe/Berlin', HeraldBaseUrl: baseUrl, HeraldAppKey: publicKey },
      }
    },
    tellsVersion: more === '',
    answersReports: false,
  })
  return {
    version: compile('--version').split('\n')[0] ?? '',
    warnings,
    programs: [program('Herald.swift', ''), program('HeraldPushes.swift', ' bridged')],
    folder,
  }
}
