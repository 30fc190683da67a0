import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { checkBoundaries } from './boundaries.ts'

const made: string[] = []
afterEach(() => made.splice(0).forEach((directory) => rmSync(directory, { recursive: true, force: true })))

/** Checks a workspace of two services and a library with these files. Gives the findings as `path:line message`. */
function findingsOf(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'herald-boundaries-'))
  made.push(root)
  const manifest = (name: string, dependencies: string[], devDependencies: string[] = []) =>
    JSON.stringify({
      name,
      dependencies: Object.fromEntries(dependencies.map((each) => [each, '*'])),
      devDependencies: Object.fromEntries(devDependencies.map((each) => [each, '*'])),
    })
  const workspace = {
    'package.json': JSON.stringify({ workspaces: ['apps/*', 'libs/*', 'tools'] }),
    'apps/gateway/package.json': manifest('@herald/gateway', ['@herald/contracts', '@herald/service', 'express', 'kysely'], ['vitest']),
    'apps/tracker/package.json': manifest('@herald/tracker', ['@herald/contracts', '@herald/gateway']),
    'libs/contracts/package.json': manifest('@herald/contracts', ['zod', 'pg']),
    'tools/package.json': manifest('@herald/tools', ['@herald/contracts']),
    ...files,
  }
  for (const [path, content] of Object.entries(workspace)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return checkBoundaries(root).findings.map(({ file, line, message }) => `${file}:${line} ${message}`)
}

test('code that keeps the import rules has no findings', () => {
  const findings = findingsOf({
    'apps/gateway/src/program.ts': `import { program } from '@herald/service/run'\nimport { serve } from './http/serve.ts'\nimport { Config } from './config.ts'`,
    'apps/gateway/src/apps/manage-key.ts': `import type { Service } from '@herald/service/run'\nimport { findKey } from './store/keys.ts'\nimport { allowed } from './core/scope.ts'`,
    'apps/gateway/src/core/scope.ts': `import { newId } from '@herald/contracts/ids'\nimport { createHash } from 'node:crypto'`,
    'apps/gateway/src/store/keys.ts': `import { sql } from 'kysely'\nimport { allowed } from '../core/scope.ts'`,
    'apps/gateway/src/apps/http/keys.ts': `import express from 'express'\nimport { manageKey } from '../manage-key.ts'`,
    'apps/gateway/src/manage-key.test.ts': `import { test } from 'vitest'\nconst path = process.env['PATH']`,
    'tools/src/start.ts': `import { spawn } from 'node:child_process'\nconst path = process.env['PATH']`,
  })

  expect(findings).toEqual([])
})

test.each([
  ['core may not import the store', 'core/a.ts', `import { b } from '../store/b.ts'`, 'core/ may not import src/store/b.ts'],
  ['core may not import a flow, not even its types', 'core/a.ts', `import type { B } from '../b.ts'`, 'core/ may not import src/b.ts'],
  ['core may not import an HTTP server', 'core/a.ts', `import express from 'express'`, 'core/ may not import express'],
  ['core may not import a database client', 'core/a.ts', `import { sql } from 'kysely'`, 'core/ may not import kysely'],
  ['the store may not import an HTTP server', 'store/a.ts', `import express from 'express'`, 'store/ may not import express'],
  ['the store may not import a flow', 'store/a.ts', `import { b } from '../b.ts'`, 'store/ may not import src/b.ts'],
  ['a flow may not import an HTTP server', 'send.ts', `import express from 'express'`, 'a flow may not import express'],
  [
    'a flow may not import a provider',
    'send.ts',
    `import { apns } from './providers/apns.ts'`,
    'a flow may not import src/providers/apns.ts',
  ],
  [
    'a flow may not open a connection to NATS',
    'send.ts',
    `import { openBus } from '@herald/service/bus'`,
    'a flow may not import @herald/service/bus',
  ],
  ['a flow may not import program.ts', 'send.ts', `import { run } from './program.ts'`, 'a flow may not import src/program.ts'],
  [
    'http may not import a provider',
    'http/a.ts',
    `import { apns } from '../providers/apns.ts'`,
    'http/ may not import src/providers/apns.ts',
  ],
  [
    'a folder of the gateway may import only the folders on its list',
    'people/a.ts',
    `import type { B } from '../campaigns/b.ts'`,
    'a flow may not import src/campaigns/b.ts',
  ],
  [
    'an export from another file counts as an import',
    'core/a.ts',
    `export { b } from '../store/b.ts'`,
    'core/ may not import src/store/b.ts',
  ],
  [
    'an import at run time counts as an import',
    'core/a.ts',
    `const b = await import('../store/b.ts')`,
    'core/ may not import src/store/b.ts',
  ],
  [
    'no relative path leaves its project',
    'send.ts',
    `import { c } from '../../tracker/src/c.ts'`,
    '../../tracker/src/c.ts leaves apps/gateway',
  ],
  ['an imported package must be declared', 'program.ts', `import { z } from 'zod'`, 'zod is not declared in apps/gateway/package.json'],
  [
    'a package that is declared for tests may not be imported by other code',
    'program.ts',
    `import { test } from 'vitest'`,
    'vitest is not declared in apps/gateway/package.json',
  ],
  [
    'the environment is read in one place',
    'program.ts',
    `const port = process.env['PORT']`,
    'process.env is read in libs/service/src/config.ts alone',
  ],
  [
    'taking the environment out of `process` counts as reading it',
    'program.ts',
    `const { env } = process`,
    'process.env is read in libs/service/src/config.ts alone',
  ],
  [
    'importing the environment counts as reading it',
    'program.ts',
    `import { env } from 'node:process'`,
    'process.env is read in libs/service/src/config.ts alone',
  ],
])('the import rules are checked: %s', (_name, file, source, message) => {
  expect(findingsOf({ [`apps/gateway/src/${file}`]: `\n${source}` })).toEqual([`apps/gateway/src/${file}:2 ${message}`])
})

test('a service that imports another service is found, even when it declares the import', () => {
  expect(findingsOf({ 'apps/tracker/src/program.ts': `import { serve } from '@herald/gateway/http/serve'` })).toEqual([
    'apps/tracker/src/program.ts:1 @herald/gateway/http/serve is a program of apps/, which only apps/server may import',
  ])
})

test('a library that imports more than its rule allows is found, even when it declares the import', () => {
  expect(findingsOf({ 'libs/contracts/src/ids.ts': `import { z } from 'zod'\nimport { Client } from 'pg'` })).toEqual([
    'libs/contracts/src/ids.ts:2 libs/contracts may not import pg',
  ])
})
