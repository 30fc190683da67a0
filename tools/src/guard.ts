import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { identityOf } from '@herald/embedded/processes'

/** The kind of a process, which decides how it is stopped. */
export type GuardedKind = 'app' | 'nats-server' | 'postgres'

export type Guard = {
  add: (pid: number, kind: GuardedKind) => void
  remove: (pid: number) => void
  /** Ends the guardian, once everything has been stopped. */
  dismiss: () => Promise<void>
}

/**
 * Starts the guardian, which stops the starter's children when the starter is killed (-9) and cannot do it. When the guardian itself is killed,
 * another one is started and gets the list of children again.
 */
export function startGuard(dataDir: string): Guard {
  const guarded = new Map<number, string>()
  let dismissed = false
  let guardian = spawnGuardian()

  function spawnGuardian(): ChildProcess {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'guardian.ts'), dataDir], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    child.stdin?.on('error', () => undefined) // the code below notices the death of the guardian
    child.once('exit', () => {
      if (!dismissed) setTimeout(() => (guardian = spawnGuardian()), 200)
    })
    writeFileSync(pidFile(dataDir), `${child.pid} ${identityOf(child.pid ?? 0)}\n`)
    for (const line of guarded.values()) child.stdin?.write(line)
    return child
  }

  return {
    add(pid, kind) {
      const identity = identityOf(pid)
      if (identity === undefined) return
      const line = `+ ${pid} ${kind} ${identity}\n`
      guarded.set(pid, line)
      guardian.stdin?.write(line)
    },
    remove(pid) {
      if (guarded.delete(pid)) guardian.stdin?.write(`- ${pid}\n`)
    },
    async dismiss() {
      dismissed = true
      if (guardian.exitCode !== null || guardian.signalCode !== null) return
      const gone = new Promise((resolve) => guardian.once('exit', resolve))
      guardian.stdin?.end()
      await gone
    },
  }
}

/**
 * Waits until the guardian of a killed starter has ended, which takes up to 4.5 s. Without the wait a new start would meet processes that the
 * guardian is still stopping.
 */
export async function waitForFormerGuardian(dataDir: string): Promise<void> {
  const deadline = Date.now() + 8_000
  while (isGuardianAlive(dataDir) && Date.now() < deadline) await wait(100)
}

function isGuardianAlive(dataDir: string): boolean {
  const file = pidFile(dataDir)
  if (!existsSync(file)) return false
  const [pid, ...identity] = readFileSync(file, 'utf8').trim().split(' ')
  return identityOf(Number(pid)) === identity.join(' ')
}

const pidFile = (dataDir: string) => join(dataDir, 'guardian.pid')
