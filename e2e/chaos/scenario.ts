/** What a scenario found out: figures for the record, and every way in which its promise was not kept. */
export type Found = { figures: Record<string, unknown>; wrong: string[] }

export type Scene = {
  /** How many devices the send has; a scenario that does not ask is of a fixed, small size. */
  devices: number
  /** Seeds to run one after another, where a scenario has seeds. */
  seeds: readonly number[]
  say: (line: string) => void
  /** Keeps figures, and says them. */
  note: (figures: Record<string, unknown>) => void
  /** Keeps what is wrong unless it holds. */
  check: (holds: boolean, otherwise: string) => void
}

export type Scenario = {
  /** What must hold, in one sentence. */
  promise: string
  /** Played in a network of its own, where packets can be lost without harm to anybody else. Needs root. */
  ownNetwork?: boolean
  /** Ends when everything it started has; throws when it could not be played to its end. */
  run: (scene: Scene) => Promise<void>
}

/** Plays a scenario and answers what it found; one that throws is wrong too. */
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
