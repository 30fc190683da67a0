import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { expect, onTestFinished, test } from 'vitest'
import { buildPackage } from '../build.ts'
import manifest from '../package.json' with { type: 'json' }

test('the published @herald/cli runs without other packages, also for YAML and assistants, and publint finds no fault', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'herald-cli-package-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  await buildPackage(directory)

  expect((await publint({ pkgDir: directory, strict: true })).messages).toEqual([])
  expect(readFileSync(join(directory, 'LICENSES-OF-OTHERS.txt'), 'utf8')).toMatch(/^yaml \d[^]*Permission to use/m)
  expect(statSync(join(directory, 'herald.js')).mode & 0o111).toBe(0o111)
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(directory, 'herald.js'), ...args], {
      encoding: 'utf8',
      input: '',
      env: { HOME: directory, HERALD_URL: 'http://127.0.0.1:1', HERALD_TOKEN: 'ak_live_671a2b3c4d5e6f7081920a06_x' },
    })
  const { stdout, status } = run('--version')
  expect([stdout.trim(), status]).toEqual([manifest.version, 0])
  writeFileSync(join(directory, 'wrong.yaml'), 'templates: 1')
  expect(run('apply', join(directory, 'wrong.yaml')).stderr).toContain('templates: must be a list')
  const served = run('mcp')
  expect([served.stderr, served.status]).toEqual(['Serving tools that read.\n', 0])
})
