/** Shares the time of the event loop among all work of one kind that holds it up, such as rendering, whichever requests the work belongs to. */
export type TurnTime = {
  /** Whether this turn of the event loop has worked for long enough; `now` is `performance.now()`. The first call of a turn begins the count. */
  isUsedUp(now: number): boolean
  /** Resolves in a later turn. Those who wait go on in the order in which they asked. */
  next(): Promise<void>
}

/** Makes a TurnTime that allows `mostMs` in one turn. */
export function openTurnTime(mostMs: number): TurnTime {
  const waiting: (() => void)[] = []
  let beganAt: number | undefined

  const begin = (now: number): void => {
    beganAt = now
    setImmediate(() => void goOn())
  }
  const isUsedUp = (now: number): boolean => {
    if (beganAt === undefined) begin(now)
    return now - (beganAt ?? now) >= mostMs
  }
  const goOn = async (): Promise<void> => {
    beganAt = undefined
    while (waiting.length > 0 && !isUsedUp(performance.now())) {
      waiting.shift()?.()
      // Whoever waited works now, in a microtask, until it waits again.
      await Promise.resolve()
      await Promise.resolve()
    }
  }
  return {
    isUsedUp,
    next() {
      if (beganAt === undefined) begin(performance.now())
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}
