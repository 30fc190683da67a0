/** Lets a number of users in at once; the others wait, first come, first served. */
export type Gate = {
  enter(): Promise<void>
  leave(): void
  /** Nobody is in it or waits. */
  readonly isEmpty: boolean
}

const entered = Promise.resolve()

export function openGate(most: number): Gate {
  let inside = 0
  const waiting: (() => void)[] = []
  return {
    enter() {
      if (inside >= most) return new Promise((enter) => waiting.push(enter))
      inside++
      return entered
    },
    leave() {
      const next = waiting.shift()
      if (next) next()
      else inside--
    },
    get isEmpty() {
      return inside === 0
    },
  }
}
