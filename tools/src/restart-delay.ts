/** A process that lived this long was well: its next death is a first one again. */
const wellAfterMs = 10_000

/** How long to wait before starting something again after its n-th death in a row (from 1): 0.2 s, doubling to 5 s (spec: running/restarted). */
export const restartDelayMs = (deathsInARow: number): number => Math.min(200 * 2 ** Math.max(0, deathsInARow - 1), 5_000)

/** The deaths in a row after one more, of a process that lived so long. */
export const countDeath = (deathsInARow: number, livedMs: number): number => (livedMs >= wellAfterMs ? 1 : deathsInARow + 1)
