import { expect, test } from 'vitest'
import { addressesIn, completeLock } from './lock.ts'

const lock = (packages: Record<string, object>) => JSON.stringify({ name: 'x', lockfileVersion: 3, packages })
const packagesOf = (text: string): unknown => JSON.parse(text).packages

test('an optional package for another platform that is missing in the lock file is added, for that platform alone', () => {
  const { text, added } = completeLock(
    lock({
      'node_modules/tool': {
        version: '1.0.0',
        dev: true,
        optionalDependencies: { '@tool/linux-x64-musl': '1.0.0', '@tool/windows-arm64': '^1.0.0' },
      },
    }),
  )

  expect(added).toEqual(['@tool/linux-x64-musl', '@tool/windows-arm64'])
  expect(packagesOf(text)).toMatchObject({
    'node_modules/@tool/linux-x64-musl': { version: '1.0.0', dev: true, optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'node_modules/@tool/windows-arm64': { version: '1.0.0', dev: true, optional: true, os: ['win32'], cpu: ['arm64'] },
  })
})

test('entries of the lock file stay as they are, nested or not, and a second run changes nothing', () => {
  const once = completeLock(
    lock({
      'node_modules/tool': {
        version: '1.0.0',
        optionalDependencies: { '@tool/linux-x64': '1.0.0', '@tool/darwin-x64': '1.0.0', plain: '1.0.0' },
      },
      'node_modules/tool/node_modules/@tool/linux-x64': { version: '1.0.0', integrity: 'sha512-a' },
    }),
  )

  expect(once.added).toEqual(['@tool/darwin-x64'])
  expect(once.unknown).toEqual(['plain@1.0.0'])
  expect(completeLock(once.text)).toEqual({ text: once.text, added: [], unknown: ['plain@1.0.0'] })
})

test('a package for which the lock file names an address is found, and a workspace of this repository is not', () => {
  const text = lock({
    'node_modules/@herald/tools': { resolved: 'tools', link: true },
    'node_modules/a': { version: '1.0.0', resolved: 'https://somewhere.example/a.tgz' },
    'node_modules/b': { version: '1.0.0' },
  })

  expect(addressesIn(text)).toEqual(['node_modules/a'])
})
