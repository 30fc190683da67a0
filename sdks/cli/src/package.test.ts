import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { expect, onTestFinished, test } from 'vitest'
import { buildPackage } from '../build.ts'
import manifest from '../package.json' with { type: 'json' }

test('the published package @herald/cli is one script that runs without other packages, and publint finds no fault in it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'herald-cli-package-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  await buildPackage(directory)

  expect((await publint({ pkgDir: directory, strict: true })).messages).toEqual([])
  expect(statSync(join(directory, 'herald.js')).mode & 0o111).toBe(0o111)
  const { stdout, status } = spawnSync(process.execPath, [join(directory, 'herald.js'), '--version'], { encoding: 'utf8' })
  expect([stdout.trim(), status]).toEqual([manifest.version, 0])
})
