import { linkSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf } from '@herald/embedded/processes'
import { StartError } from './start-error.ts'

export type DataDirectory = { path: string; release: () => void }

/**
 * Makes the data directory and locks it for this process. A second start is refused with the first one's pid. The lock is taken over when its process
 * has ended, even if another has its pid by now.
 */
export function takeDataDirectory(given: string): DataDirectory {
  mkdirSync(given, { recursive: true, mode: 0o700 })
  const path = realpathSync(given)
  const lock = join(path, 'herald.pid')
  const mine = `${process.pid} ${identityOf(process.pid)}\n`
  const draft = join(path, `herald.pid.${process.pid}`)
  writeFileSync(draft, mine)
  try {
    // The lock is made as a link, which appears with its complete content or not at all, so no other start can read half a lock.
    while (!tryLink(draft, lock)) takeAwayStaleLock(path, lock)
  } finally {
    rmSync(draft, { force: true })
  }
  return {
    path,
    release() {
      if (readLock(lock) === mine) rmSync(lock, { force: true })
    },
  }
}

function takeAwayStaleLock(path: string, lock: string): void {
  const content = readLock(lock)
  if (content === undefined) return
  refuseIfLiving(path, content)
  const aside = join(path, `herald.pid.${process.pid}.stale`)
  try {
    renameSync(lock, aside)
  } catch {
    return // another start removed the stale lock first
  }
  const taken = readLock(aside)
  if (taken !== undefined && taken !== content) tryLink(aside, lock) // the lock was a new one by then: put it back
  unlinkSync(aside)
}

function refuseIfLiving(path: string, content: string): void {
  const [pid, ...identity] = content.trim().split(' ')
  if (identityOf(Number(pid)) !== identity.join(' ')) return
  throw new StartError(
    `Herald is running already on ${path} (pid ${pid}). Stop it first (kill ${pid}), or set HERALD_DATA_DIR to another directory.`,
  )
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function readLock(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
