import type { Said } from './peers.ts'

export type Round = {
  contender: string
  /** Why the round does not count; null when it counts. */
  void: string | null
  pushes: number
  /** The seconds from the send to the last push that the simulator accepted. */
  seconds: number
  /** The seconds from the send until the contender says that it has finished. Herald says so when every outcome is counted. */
  secondsToSettled: number
  pushesPerSecond: number
  said: Said
  /** The CPU time of each process of the contender, without the simulator. */
  cpuMicrosecondsPerPush: Record<string, number>
  simulatorCpuMicrosecondsPerPush: number
  idleHeraldCores: number | null
  /** The most memory that each process has taken in its life so far. */
  peakRssMb: Record<string, number>
  walBytesPerPush: number
  ledgerBytesPerPush: number | null
}

export const median = (numbers: number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** Sorts the numbers, skips the smallest `share` of them and gives the next one: about the median for 0.5, the p99 for 0.99. */
export function quantile(numbers: number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function cpuOf({ cpuMicrosecondsPerPush }: Round, withPostgres: boolean): number {
  return Object.entries(cpuMicrosecondsPerPush).reduce((sum, [name, cpu]) => (withPostgres || name !== 'postgres' ? sum + cpu : sum), 0)
}

/**
 * The measures that are compared. CPU has two rows, with and without Postgres, because the goals compare Herald with its Postgres to a peer without
 * its own.
 */
const measures: { what: string; of: (round: Round) => number | null; digits: number }[] = [
  { what: 'pushes/s', of: ({ pushesPerSecond }) => pushesPerSecond, digits: 0 },
  { what: 'CPU µs/push', of: (round) => cpuOf(round, true), digits: 1 },
  { what: '  without its Postgres', of: (round) => cpuOf(round, false), digits: 1 },
  { what: 'WAL bytes/push', of: ({ walBytesPerPush }) => walBytesPerPush, digits: 0 },
  { what: 'ledger bytes/push', of: ({ ledgerBytesPerPush }) => ledgerBytesPerPush, digits: 1 },
  { what: 'largest process MB', of: ({ peakRssMb }) => Math.max(...Object.values(peakRssMb)), digits: 0 },
  { what: 'simulator CPU µs/push', of: (round) => round.simulatorCpuMicrosecondsPerPush, digits: 1 },
  { what: 'idle herald, cores', of: ({ idleHeraldCores }) => idleHeraldCores, digits: 3 },
  { what: 's to settled', of: ({ secondsToSettled }) => secondsToSettled, digits: 2 },
]

/** Computes the medians of each contender over the rounds that count; null when no round has the measure. */
export function medians(rounds: Round[]): Record<string, Record<string, number | null>> {
  const counted = rounds.filter((round) => round.void === null)
  const names = [...new Set(rounds.map(({ contender }) => contender))]
  const middle = (values: (number | null)[]) => {
    const known = values.filter((value) => value !== null)
    return known.length > 0 ? median(known) : null
  }
  return Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(
        measures.map(({ what, of }) => [what.trim(), middle(counted.filter(({ contender }) => contender === name).map(of))]),
      ),
    ]),
  )
}

/** Divides Herald's figures by a peer's. Gives the median of the ratios of neighbouring rounds, because a busy machine slows down both. */
export function ratios(rounds: Round[], peer: string): { pushesPerSecond: number; cpuPerPush: number } | null {
  const of = (name: string) => rounds.filter(({ contender }) => contender === name)
  const pairs = of('herald').flatMap((own, index) => {
    const other = of(peer)[index]
    return other && own.void === null && other.void === null ? [{ own, other }] : []
  })
  if (pairs.length === 0) return null
  return {
    pushesPerSecond: median(pairs.map(({ own, other }) => own.pushesPerSecond / other.pushesPerSecond)),
    cpuPerPush: median(pairs.map(({ own, other }) => cpuOf(own, true) / cpuOf(other, false))),
  }
}

/** Writes the rounds as text: the medians of the contenders side by side, the ratios to each peer, and below them Herald's processes. */
export function report(rounds: Round[]): string[] {
  const all = medians(rounds)
  const names = Object.keys(all)
  const cell = (value: number | null | undefined, digits: number) => (value == null ? '-' : value.toFixed(digits)).padStart(24)
  const own = rounds.filter((round) => round.contender === 'herald' && round.void === null)
  const processes = [...new Set(own.flatMap(({ cpuMicrosecondsPerPush }) => Object.keys(cpuMicrosecondsPerPush)))]
  return [
    `${'medians'.padEnd(24)}${names.map((name) => name.padStart(24)).join('')}`,
    ...measures.map(({ what, digits }) => `${what.padEnd(24)}${names.map((name) => cell(all[name]?.[what.trim()], digits)).join('')}`),
    ...names.slice(1).flatMap((peer) => {
      const ratio = ratios(rounds, peer)
      if (!ratio) return [`no round of both herald and ${peer} counts`]
      const { pushesPerSecond, cpuPerPush } = ratio
      return [`herald / ${peer}: ${pushesPerSecond.toFixed(2)} pushes/s, ${cpuPerPush.toFixed(2)} CPU (Postgres in herald's alone)`]
    }),
    '',
    `${'process'.padEnd(24)}${'CPU µs/push'.padStart(24)}${'peak RSS MB'.padStart(24)}`,
    ...processes.map((name) => {
      const cpu = median(own.map(({ cpuMicrosecondsPerPush }) => cpuMicrosecondsPerPush[name] ?? 0))
      return `${name.padEnd(24)}${cell(cpu, 1)}${cell(Math.max(...own.map(({ peakRssMb }) => peakRssMb[name] ?? 0)), 0)}`
    }),
  ]
}
