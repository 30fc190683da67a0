import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import type { Guard, GuardedKind } from './guard.ts'
import type { LogFile } from './logs.ts'
import { StartError } from './start-error.ts'
import { supervise, type Supervised, type Unit } from './supervisor.ts'
import { writeWhole } from './write-whole.ts'

/**
 * A process that is asked to stop gets this many milliseconds, and is then killed. They are enough for a service to finish its work in flight
 * (architecture.md, Guarantees).
 */
const stopLimitMs = 10_000
/**
 * How often a process is started before a start counts as failed. A service gets four starts, with waits of 1.4 s in all between them. A server gets
 * one, because its first error says what is wrong.
 */
const firstTries = { app: 4, postgres: 1, 'nats-server': 1 } as const

export type Member = { unit: Unit; kind: GuardedKind; log: LogFile }

export type Crew = {
  /** Starts units that belong together. They are later stopped together, before the groups that were started earlier. */
  start: (group: Member[]) => Promise<void>
  /**
   * Stops all processes, the group that was started last first. A process that has not ended in time is killed; all groups together get `withinMs`.
   */
  stop: (withinMs?: number) => Promise<void>
  /** Kills all processes at once. */
  kill: () => void
}

/**
 * Opens the list of all processes of the platform. Each process is supervised, reported to the guardian, and listed with its pid in
 * `<data>/processes.json`.
 */
export function openCrew(dataDir: string, guard: Guard, print: (line: string) => void): Crew {
  const groups: Supervised[][] = []
  const pids: Record<string, number> = {}
  const listPids = () => {
    try {
      writeWhole(join(dataDir, 'processes.json'), `${JSON.stringify(pids, null, 2)}\n`, 0o644)
    } catch {
      // On a full disk the old list stays, and the processes go on running.
    }
  }

  const watch = ({ unit, kind, log }: Member): Supervised =>
    supervise(
      unit,
      {
        onSpawn(_unit, child: ChildProcess) {
          if (child.pid === undefined) return
          guard.add(child.pid, kind)
          pids[unit.name] = child.pid
          listPids()
        },
        onGone(_unit, child: ChildProcess) {
          if (child.pid === undefined) return
          guard.remove(child.pid)
          if (pids[unit.name] === child.pid) delete pids[unit.name]
          listPids()
        },
        onDeath(_unit, how, againInMs) {
          print(`${unit.name} ${how}; started again in ${againInMs / 1_000} s (log: ${log.path})`)
          for (const line of log.lastLines(3)) print(`  | ${line.slice(0, 300)}`)
        },
      },
      firstTries[kind],
    )

  return {
    async start(members) {
      const group = members.map(watch)
      groups.push(group)
      await Promise.all(
        group.map(({ ready }, index) => ready.catch((error: unknown) => Promise.reject(explainFirst(members[index], error)))),
      )
    },
    async stop(withinMs = Number.POSITIVE_INFINITY) {
      const deadline = performance.now() + withinMs
      for (const group of groups.toReversed()) {
        const limit = Math.max(0, Math.min(stopLimitMs, deadline - performance.now()))
        await Promise.all(group.map((supervised) => supervised.stop(limit)))
      }
    },
    kill() {
      for (const supervised of groups.flat()) supervised.kill()
    },
  }
}

/** Gives the reason why a process did not start. For a service the reason is at the end of its log; for a server the error already has it. */
function explainFirst(member: Member | undefined, error: unknown): unknown {
  if (member === undefined || member.kind !== 'app' || !(error instanceof Error)) return error
  const lines = member.log.lastLines(10).map((line) => `  | ${line.slice(0, 500)}`)
  return new StartError([`${member.unit.name} ${error.message} (log: ${member.log.path})`, ...lines].join('\n'), error)
}
