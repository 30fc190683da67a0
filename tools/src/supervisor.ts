import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { endChild, hasEnded } from '@herald/embedded/processes'
import { countDeath, restartDelayMs } from './restart-delay.ts'

/** Something that must run: how it is started, and how it is asked to end. */
export type Unit = {
  name: string
  /** Ends well when it is ready, with an error when it ended or could not start before that. Tells the process as soon as there is one. */
  start: (onSpawn: (child: ChildProcess) => void) => Promise<void>
  /** What it is sent to stop, and after `limitMs` what ends it for certain. */
  stopSignal: NodeJS.Signals
  killSignal: NodeJS.Signals
}

/** What the world is told of a unit. */
export type Watchers = {
  onSpawn: (unit: Unit, child: ChildProcess) => void
  onGone: (unit: Unit, child: ChildProcess) => void
  /** It ended unasked, or could not be started again. */
  onDeath: (unit: Unit, how: string, againInMs: number) => void
}

export type Supervised = {
  name: string
  /** Ends when it is ready for the first time; fails when its first starts do, or when it is stopped before. */
  ready: Promise<void>
  /** Asks it to end and returns when it has; it is not started again. */
  stop: (limitMs: number) => Promise<void>
  /** Ends it at once. */
  kill: () => void
}

/**
 * Starts a unit and keeps it running: whatever ends unasked is started again, after 0.2 s, doubling to 5 s, from the start
 * again once it lived 10 s. Only a unit that was never ready is given up, after `firstTries`: then something is wrong that
 * time does not heal.
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
