import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resolveByHostsFile } from './guarded-connect.ts'

test('in development, localhost and the hosts file’s names are found without a name server, others by one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'herald-hosts-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'hosts')
  writeFileSync(file, '# names\n10.1.2.3  push.test Other.test # two names\nfe80::1 push.test\nnonsense here\n')
  const asked: string[] = []
  const resolve = resolveByHostsFile((host) => {
    asked.push(host)
    return Promise.resolve([{ address: '192.0.2.1', family: 4 }])
  }, file)

  expect(await resolve('push.test')).toEqual([
    { address: '10.1.2.3', family: 4 },
    { address: 'fe80::1', family: 6 },
  ])
  expect(await resolve('OTHER.test')).toEqual([{ address: '10.1.2.3', family: 4 }])
  expect((await resolve('localhost')).map(({ address }) => address)).toContain('127.0.0.1')
  expect((await resolve('app.localhost')).map(({ address }) => address)).toContain('127.0.0.1')
  expect(asked).toEqual([])
  expect(await resolve('elsewhere.test')).toEqual([{ address: '192.0.2.1', family: 4 }])
  expect(asked).toEqual(['elsewhere.test'])
})
