import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './workspace.ts'

const python = (cwd: string, given: string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync('python3', given, {
    cwd,
    encoding: 'utf8',
    timeout: 100_000,
    env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', ...env },
  })

// spec: identity/register-spares
test('the Python client keeps its rules for retries, errors, webhooks and options', () => {
  const { status, stderr } = python(join(root, 'sdks/python'), ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests'])
  expect([status, stderr]).toEqual([0, expect.stringMatching(/Ran \d{2} tests[^]*\nOK\n$/)])
})

test('the package of the Python client is a wheel that Python can import from', () => {
  const folder = mkdtempSync(join(tmpdir(), 'herald-wheel-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const built = python(join(root, 'sdks/python'), [
    '-c',
    `import build_wheel; print(build_wheel.build_wheel(${JSON.stringify(folder)}), end="")`,
  ])
  expect(built.stdout).toMatch(/^herald-[\d.]+-py3-none-any\.whl$/)
  const program = 'import herald; print(herald.__file__, herald.__version__, callable(herald.Herald), end="")'
  const wheel = join(folder, built.stdout)
  expect(python(folder, ['-c', program], { PYTHONPATH: wheel }).stdout).toBe(
    `${join(wheel, 'herald/__init__.py')} ${built.stdout.split('-')[1]} True`,
  )
})
