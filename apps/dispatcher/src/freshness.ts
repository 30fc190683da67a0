/** What a batch holds is used when it was read at most so many ms ago. A process that was frozen since may not know a device's present owner. */
export const freshMs = 100
/** An answer says how old it is by those before it: so many are needed, since a single one may have been late too. */
const leastAnswers = 3
/** Two monotonic clocks drift apart by at most 0.2 ms a second. */
const driftPerMs = 0.0002

/**
 * Judges whether an answer of another process is fresh, by that process's monotonic clock. The clocks differ by an unknown constant: the fastest answer
 * shows it, and how much longer another took.
 */
export function openFreshness(): (by: string, at: number) => boolean {
  const heard = new Map<string, { least: number; now: number; answers: number }>()
  return (by, at) => {
    const now = performance.now()
    const before = heard.get(by) ?? { least: Number.POSITIVE_INFINITY, now, answers: 0 }
    const least = Math.min(now - at, before.least + (now - before.now) * driftPerMs)
    heard.delete(by)
    heard.set(by, { least, now, answers: before.answers + 1 })
    // A process that starts anew has a new name.
    for (const [name] of heard) if (heard.size > mostProcesses) heard.delete(name)
    return before.answers >= leastAnswers && now - at - least < freshMs
  }
}

const mostProcesses = 64
