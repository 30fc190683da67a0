export type Round = {
  pushes: number
  /** From the POST to the last push the simulator accepted. */
  seconds: number
  /** From the POST to status `sent`. */
  secondsToSettled: number
  pushesPerSecond: number
  processes: { name: string; cpuMicrosecondsPerPush: number; peakRssMb: number }[]
}

export const median = (numbers: number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** The rounds as text: medians by process, because times swing two- to three-fold from minute to minute. */
export function report(rounds: Round[]): string[] {
  const names = [...new Set(rounds.flatMap(({ processes }) => processes.map(({ name }) => name)))]
  const of = (name: string, value: 'cpuMicrosecondsPerPush' | 'peakRssMb') =>
    rounds.map(({ processes }) => processes.filter((one) => one.name === name).reduce((sum, one) => sum + one[value], 0))
  return [
    `median ${Math.round(median(rounds.map(({ pushesPerSecond }) => pushesPerSecond)))} pushes/s, ` +
      `${median(rounds.map(({ secondsToSettled }) => secondsToSettled)).toFixed(2)} s to settled`,
    `${'process'.padEnd(14)}${'CPU µs/push'.padStart(14)}${'peak RSS MB'.padStart(14)}`,
    ...names.map(
      (name) =>
        `${name.padEnd(14)}${median(of(name, 'cpuMicrosecondsPerPush')).toFixed(1).padStart(14)}${String(Math.max(...of(name, 'peakRssMb'))).padStart(14)}`,
    ),
  ]
}
