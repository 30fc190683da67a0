/** What a scenario found: figures for the result file, and a sentence for each way in which its promise was broken. */
export type Found = { figures: Record<string, unknown>; wrong: string[] }

export type Scene = {
  /** The number of devices to which a scenario sends, or which it imports. A scenario may use fewer, or ignore the number. */
  devices: number
  /** The seeds to run one after another, for a scenario that uses seeds. */
  seeds: readonly number[]
  say: (line: string) => void
  /** Adds figures to the result and prints them. */
  note: (figures: Record<string, unknown>) => void
  /** Adds the sentence `otherwise` to the broken promises, unless `holds` is true. */
  check: (holds: boolean, otherwise: string) => void
}

export type Scenario = {
  /** What must be true, in one sentence. */
  promise: string
  /** True when the scenario runs in a network namespace made for it, where lost packets harm no other program. Needs root. */
  ownNetwork?: boolean
  /** True when the scenario kills, freezes or skews single services, so that each must have a process of its own. */
  needsSixProcesses?: boolean
  /** Runs the scenario and resolves when everything that it started has ended. Rejects when it could not run to its end. */
  run: (scene: Scene) => Promise<void>
}

/** Runs a scenario and gives what it found. A scenario that throws counts as a broken promise too. */
export async function play(
  { run }: Scenario,
  { devices = 50_000, seeds = [1], say }: { devices?: number; seeds?: readonly number[]; say: (line: string) => void },
): Promise<Found & { good: boolean; seconds: number }> {
  const startedAt = performance.now()
  const found: Found = { figures: {}, wrong: [] }
  const check = (holds: boolean, otherwise: string) => {
    if (holds) return
    found.wrong.push(otherwise)
    say(`  WRONG ${otherwise}`)
  }
  const note = (figures: Record<string, unknown>) => {
    Object.assign(found.figures, figures)
    for (const [name, value] of Object.entries(figures)) say(`  ${name} ${JSON.stringify(value)}`)
  }
  await run({ devices, seeds, say, note, check }).catch((error: unknown) => check(false, String(error)))
  return { ...found, good: found.wrong.length === 0, seconds: Math.round((performance.now() - startedAt) / 100) / 10 }
}
