import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { expect, test } from 'vitest'
import web from '../../sdks/web/package.json' with { type: 'json' }
import { sharedPlatform } from '../platform.ts'

// Installs the packages that the gateway serves as a stranger does: in an empty folder, with an empty cache, without a clone and without a registry.

const herald = await sharedPlatform()
const folder = mkdtempSync(join(tmpdir(), 'herald-packages-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'package.json'), '{ "private": true }')
// Any request to a registry fails, since nothing listens at this address.
const npmrc = { npm_config_registry: 'http://127.0.0.1:9', npm_config_cache: join(folder, 'cache'), npm_config_fetch_retries: '0' }
const run = (program: string, ...given: string[]) =>
  spawnSync(program, given, { cwd: folder, encoding: 'utf8', timeout: 120_000, env: { ...process.env, ...npmrc, HERALD_ALLOW_HTTP: '1' } })
const addressOf = (name: string) => `${herald.baseUrl}/sdk/v1/${name}-${web.version}.tgz`
const nodes = ['/usr/bin/node', process.execPath].filter((path) => existsSync(path))

// spec: administration/packages-served
test('the packages install from the gateway without a registry, and lock files name them with their hashes', () => {
  const { status, stderr } = run('npm', 'install', '--no-audit', '--no-fund', addressOf('web'), addressOf('node'), addressOf('cli'))
  expect([status, stderr]).toEqual([0, ''])
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved: string; integrity: string }>
  }
  for (const name of ['web', 'node', 'cli'])
    expect(packages[`node_modules/@herald/${name}`]).toMatchObject({
      resolved: addressOf(name),
      integrity: expect.stringMatching(/^sha512-/) as string,
    })
  expect(existsSync(join(folder, 'node_modules/@herald/web/worker.iife.js'))).toBe(true)
  for (const node of nodes) {
    const names = 'const { Herald, webhooks } = require("@herald/node"); console.log(typeof Herald, typeof webhooks.express)'
    expect(run(node, '-e', names).stdout).toBe('function function\n')
    expect(run(node, '--input-type=module', '-e', names.replace('require(', 'await import(')).stdout).toBe('function function\n')
    expect(run(node, 'node_modules/.bin/herald', '--version').stdout).toContain(web.version)
  }
})

// spec: administration/packages-served
test('npx runs the command line from its address', () => {
  const { stdout, status } = run('npx', '--yes', `${herald.baseUrl}/sdk/v1/cli.tgz`, '--version')
  expect([status, stdout.includes(web.version)]).toEqual([0, true])
})

// spec: administration/packages-served
test('pip installs the Python client from its address without a registry', () => {
  const { status, stderr } = run('python3', '-m', 'pip', 'install', '--no-index', '--target', 'python', addressOf('python'))
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('ERROR')])
  const program = 'import sys; sys.path.insert(0, "python"); import herald; print(herald.__file__, herald.__version__, end="")'
  expect(run('python3', '-c', program).stdout).toBe(`${join(folder, 'python/herald/__init__.py')} ${web.version}`)
})

// spec: administration/packages-served
test.each([
  ['kotlin', ['build.gradle.kts', 'src/main/AndroidManifest.xml', 'src/main/kotlin/dev/herald/Herald.kt']],
  ['swift', ['Package.swift', 'Herald.swift', 'NotificationService.swift']],
  ['react-native', ['app.plugin.js', 'lib/index.js', 'ios/Herald.swift', 'android/src/main/kotlin/dev/herald/Herald.kt']],
  ['capacitor', ['Package.swift', 'dist/index.js', 'android/src/main/kotlin/dev/herald/Herald.kt']],
  [
    'flutter',
    [
      'pubspec.yaml',
      'lib/herald_flutter.dart',
      'android/src/main/kotlin/dev/herald/android/HeraldPushes.kt',
      'ios/herald_flutter/Sources/herald_flutter/Herald.swift',
    ],
  ],
])('the gateway serves the %s package with the files that its tools look for', async (name, files) => {
  const answer = await fetch(addressOf(name))
  expect(answer.status).toBe(200)
  writeFileSync(join(folder, `${name}.tgz`), Buffer.from(await answer.arrayBuffer()))
  const listed = run('tar', 'tzf', `${name}.tgz`).stdout.split('\n')
  expect(files.filter((file) => !listed.includes(`package/${file}`))).toEqual([])
})
