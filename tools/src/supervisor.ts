import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { endChild, hasEnded } from '@herald/embedded/processes'

/** A process that must run: how it is started, and how it is stopped. */
export type Unit = {
  name: string
  /** Starts the process. Resolves when it is ready, and rejects when it ended or could not start before that. `onSpawn` is called as soon as there is a process. */
  start: (onSpawn: (child: ChildProcess) => void) => Promise<void>
  /** The signal that asks it to stop, and the one that kills it after `limitMs`. */
  stopSignal: NodeJS.Signals
  killSignal: NodeJS.Signals
}

/** Functions that are called with what happens to a unit. */
export type Watchers = {
  onSpawn: (unit: Unit, child: ChildProcess) => void
  onGone: (unit: Unit, child: ChildProcess) => void
  /** The process ended by itself, or could not be started again. */
  onDeath: (unit: Unit, how: string, againInMs: number) => void
}

export type Supervised = {
  name: string
  /** Resolves when the unit is ready for the first time. Rejects when its first starts fail, or when it is stopped before. */
  ready: Promise<void>
  /** Stops the process and returns when it has ended. It is not started again. */
  stop: (limitMs: number) => Promise<void>
  /** Kills the process. */
  kill: () => void
}

/**
 * Starts a unit and keeps it running. When its process ends by itself it is started again: after 0.2 s, then after twice as long each time up to 5 s, and after
 * 0.2 s again once it has run for 10 s. Only a unit that was never ready is given up, after `firstTries`, because more tries would not help.
 */
export function supervise(unit: Unit, watchers: Watchers, firstTries: number): Supervised {
  let child: ChildProcess | undefined
  let deaths = 0
  let startedAt = 0
  let stopping = false
  let timer: NodeJS.Timeout | undefined

  const spawned = (started: ChildProcess) => {
    child = started
    started.once('exit', () => watchers.onGone(unit, started))
    watchers.onSpawn(unit, started)
    if (stopping) started.kill(unit.killSignal)
  }

  const startOnce = async () => {
    if (stopping) throw new Error(`${unit.name} is being stopped.`)
    startedAt = performance.now()
    await unit.start(spawned)
    const running = child
    if (running === undefined) throw new Error(`${unit.name} is ready without a process.`)
    if (hasEnded(running)) again(howItEnded(running))
    else running.once('exit', () => again(howItEnded(running)))
  }

  const again = (how: string) => {
    if (stopping) return
    deaths = countDeath(deaths, performance.now() - startedAt)
    const delay = restartDelayMs(deaths)
    watchers.onDeath(unit, how, delay)
    timer = setTimeout(() => {
      startOnce().catch((error: unknown) => again(error instanceof Error ? error.message : String(error)))
    }, delay)
  }

  const startFirst = async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await startOnce()
      } catch (error) {
        if (stopping || attempt >= firstTries) throw error
        await wait(restartDelayMs(attempt))
      }
    }
  }

  return {
    name: unit.name,
    ready: startFirst(),
    async stop(limitMs) {
      stopping = true
      clearTimeout(timer)
      if (child !== undefined)
        await endChild(child, unit.stopSignal, [
          [limitMs, unit.killSignal],
          [2_000, 'SIGKILL'],
        ])
    },
    kill() {
      stopping = true
      clearTimeout(timer)
      child?.kill(unit.killSignal)
    },
  }
}

/** How a child ended, as the rest of a sentence that begins with its name. */
export const howItEnded = (child: ChildProcess): string =>
  child.signalCode === null ? `ended with code ${child.exitCode}` : `was ended by ${child.signalCode}`

/** A process that has run this long was well: when it ends, that counts as its first death again. */
const wellAfterMs = 10_000

/** The wait before a process is started again after its n-th death in a row (from 1): 0.2 s, doubling to 5 s (spec: running/restarted). */
export const restartDelayMs = (deathsInARow: number): number => Math.min(200 * 2 ** Math.max(0, deathsInARow - 1), 5_000)

/** The number of deaths in a row, with the death of a process that has run for `livedMs`. */
export const countDeath = (deathsInARow: number, livedMs: number): number => (livedMs >= wellAfterMs ? 1 : deathsInARow + 1)
