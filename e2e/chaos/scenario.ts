/** What a scenario found: figures to keep, and every way in which its promise was not kept. */
export type Found = { figures: Record<string, unknown>; wrong: string[] }

export type Scene = {
  /** How many devices the send has. A scenario that does not read it has a fixed, small size. */
  devices: number
  /** Seeds to run one after another, for a scenario that uses seeds. */
  seeds: readonly number[]
  say: (line: string) => void
  /** Keeps figures, and prints them. */
  note: (figures: Record<string, unknown>) => void
  /** Keeps `otherwise` as a broken promise unless `holds`. */
  check: (holds: boolean, otherwise: string) => void
}

export type Scenario = {
  /** What must hold, in one sentence. */
  promise: string
  /** Runs in a network namespace of its own, where losing packets harms no other program. Needs root. */
  ownNetwork?: boolean
  /** Ends when everything that it started has ended. Throws when it could not be played to its end. */
  run: (scene: Scene) => Promise<void>
}

/** Plays a scenario and answers what it found. A scenario that throws counts as a broken promise too. */
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
