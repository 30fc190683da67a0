import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf } from '@herald/embedded/processes'
import { afterEach, expect, test } from 'vitest'
import { takeDataDirectory } from './data-directory.ts'

const made: string[] = []
afterEach(() => made.splice(0).forEach((directory) => rmSync(directory, { recursive: true, force: true })))

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'herald-data-'))
  made.push(directory)
  return directory
}

// spec: running/one-per-directory
test('a second start on a data directory is refused with the first’s pid, until that releases it', () => {
  const directory = freshDirectory()
  const first = takeDataDirectory(directory)

  expect(() => takeDataDirectory(directory)).toThrow(`pid ${process.pid}`)

  first.release()
  takeDataDirectory(directory).release()
  expect(readdirSync(directory)).toEqual([])
})

// spec: running/one-per-directory
test('a start takes over the lock of a process that has ended', async () => {
  const directory = freshDirectory()
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  writeFileSync(join(directory, 'herald.pid'), `${child.pid} ${identityOf(child.pid ?? 0)}\n`)
  expect(() => takeDataDirectory(directory)).toThrow(`pid ${child.pid}`)

  child.kill('SIGKILL')
  await once(child, 'exit')

  takeDataDirectory(directory).release()
  expect(existsSync(join(directory, 'herald.pid'))).toBe(false)
})

test('the lock of a dead starter does not hold when another living process has the same pid by now', () => {
  const directory = freshDirectory()
  writeFileSync(join(directory, 'herald.pid'), `${process.pid} another-boot:12345\n`)

  const taken = takeDataDirectory(directory)

  expect(readFileSync(join(directory, 'herald.pid'), 'utf8')).toBe(`${process.pid} ${identityOf(process.pid)}\n`)
  taken.release()
})
