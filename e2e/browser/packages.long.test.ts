import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { givenTenant } from '@herald/testing/tenant'
import { expect, test } from 'vitest'
import web from '../../sdks/web/package.json' with { type: 'json' }
import { node20 } from '../../sdks/node/src/testing/runtimes.ts'
import { sharedPlatform } from '../platform.ts'

// Does what the READMEs of the packages begin with as a stranger does: in an empty folder, with an empty cache, without a clone and without a registry.

const herald = await sharedPlatform()
const folder = mkdtempSync(join(tmpdir(), 'herald-packages-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'package.json'), '{ "private": true }')
const node = node20()
const environment = {
  HOME: process.env['HOME'],
  PATH: [
    join(folder, 'global/bin'),
    dirname(node),
    ...(process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules')),
  ].join(delimiter),
  // Any request to a registry fails, since nothing listens at this address.
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_fetch_retries: '0',
  npm_config_cache: join(folder, 'cache'),
  npm_config_prefix: join(folder, 'global'),
  PIP_NO_INDEX: '1',
  PIP_TARGET: join(folder, 'python'),
}
const run = (program: string, ...given: string[]) =>
  spawnSync(program, given, { cwd: folder, encoding: 'utf8', timeout: 120_000, env: environment })
const addressOf = (name: string) => `${herald.baseUrl}/sdk/v1/${name}-${web.version}.tgz`
/** Gives the first commands of a package's README, with the address of this Herald. */
const firstCommandsOf = (name: string) =>
  (/```sh\n([^]*?)```/.exec(readFileSync(resolve(import.meta.dirname, `../../sdks/${name}/README.md`), 'utf8'))?.[1] ?? '').replaceAll(
    'https://push.example.com',
    herald.baseUrl,
  )

// spec: administration/packages-served
test('on Node 20 the READMEs’ first commands install the packages for pages and backends, with hashes in lock files', () => {
  for (const name of ['web', 'node']) {
    const commands = firstCommandsOf(name)
    expect(commands).toContain(addressOf(name))
    const { status, stderr } = run('sh', '-euc', commands)
    expect([status, stderr]).toEqual([0, ''])
  }
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved: string; integrity: string }>
  }
  for (const name of ['web', 'node'])
    expect(packages[`node_modules/@herald/${name}`]).toMatchObject({
      resolved: addressOf(name),
      integrity: expect.stringMatching(/^sha512-/) as string,
    })
  expect(existsSync(join(folder, 'node_modules/@herald/web/worker.iife.js'))).toBe(true)
  for (const program of [node, process.execPath]) {
    const names = 'const { Herald, webhooks } = require("@herald/node"); console.log(typeof Herald, typeof webhooks.express)'
    expect(run(program, '-e', names).stdout).toBe('function function\n')
    expect(run(program, '--input-type=module', '-e', names.replace('require(', 'await import(')).stdout).toBe('function function\n')
  }
})

// spec: administration/packages-served
test('on Node 20 the command line’s first commands install it, send, write an app and find no difference', async () => {
  const tenant = await givenTenant(herald)
  const [device] = await tenant.makeDevices('android', 1)
  if (device) await tenant.register(device, { externalId: 'customer-7' })
  // The others wait for a person or for what happens, or need a file or a device of one's own.
  const [install = '', ...commands] = firstCommandsOf('cli')
    .split('\n')
    .filter((line) => !/^herald (login|tail|listen|explain|import|mcp|doctor)/.test(line))
  expect(install).toContain(addressOf('cli'))
  const access = `export HERALD_URL=${herald.baseUrl} HERALD_TOKEN=${herald.adminToken} HERALD_APP=${tenant.appId}`
  const { status, stdout, stderr } = run('sh', '-euc', [install, access, ...commands].join('\n'))
  expect([status, stderr]).toEqual([0, expect.not.stringMatching(/warn|error/i)])
  expect(commands.filter((line) => line !== '')).toHaveLength(4)
  expect(stdout).toMatch(/sent/)
  expect(existsSync(join(folder, 'herald.yaml'))).toBe(true)
})

// spec: administration/packages-served
test('npx runs the command line from its address', () => {
  const { stdout, status } = run('npx', '--yes', `${herald.baseUrl}/sdk/v1/cli.tgz`, '--version')
  expect([status, stdout.includes(web.version)]).toEqual([0, true])
})

// spec: administration/packages-served
test('the first command of the Python client’s README installs it', () => {
  expect(firstCommandsOf('python')).toContain(addressOf('python'))
  const { status, stderr } = run('sh', '-euc', firstCommandsOf('python'))
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
