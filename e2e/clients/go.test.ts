import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { blocksOf, readMarkedPages } from '@herald/tools/guide/pages'
import { expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { findGo } from './go.ts'
import { walkClient } from './walk.ts'

const root = resolve(import.meta.dirname, '../..')
const client = join(root, 'sdks/go')
const folder = mkdtempSync(join(tmpdir(), 'herald-go-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))
const go = findGo()
console.log(go.version)

// spec: identity/register-spares
test('the Go client is formatted, passes go vet, and keeps its rules for retries, errors, webhooks and options', async () => {
  expect(await go.run(client, 'gofmt', '-l', '.')).toEqual({ status: 0, output: '' })
  expect(await go.run(client, 'go', 'vet', './...')).toEqual({ status: 0, output: '' })
  expect(await go.run(client, 'go', 'test', '-count=1', '.')).toEqual({ status: 0, output: expect.stringMatching(/^ok\s+herald/) })
})

// spec: limits/idempotency-replay, webhooks/signature, identity/register-spares
test('through the Go client a backend registers, sends once, follows and verifies webhooks, although an answer is lost', async () => {
  const program = join(folder, 'walk')
  expect(await go.run(client, 'go', 'build', '-o', program, './walk')).toEqual({ status: 0, output: '' })
  expect(await walkClient(program, [], folder)).toEqual({ status: 0, complaints: '' })
})

// spec: administration/packages-served
test('every block of Go in the guide compiles where the client was installed as its README says', async () => {
  const { baseUrl } = await sharedPlatform()
  const blocks = readMarkedPages(root)
    .flatMap(blocksOf)
    .filter(({ language }) => language === 'go')
  expect(blocks.length).toBeGreaterThan(2)
  writeFileSync(join(folder, 'go.mod'), 'module example.com/shop\n\ngo 1.18\n')
  const [, commands = ''] = /```sh show\n([^]*?)```/.exec(readFileSync(join(root, 'docs/guide/go.md'), 'utf8')) ?? []
  expect(readFileSync(join(client, 'README.md'), 'utf8')).toContain(commands)
  const installed = await go.run(folder, 'bash', '-euo', 'pipefail', '-c', commands.replaceAll('https://push.example.com', baseUrl))
  expect(installed).toEqual({ status: 0, output: '' })
  for (const { line, code } of blocks) {
    mkdirSync(join(folder, `block${line}`))
    writeFileSync(join(folder, `block${line}`, 'main.go'), code)
  }
  expect(await go.run(folder, 'go', 'vet', './...')).toEqual({ status: 0, output: '' })
})
