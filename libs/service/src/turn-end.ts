let ending: Promise<void> | undefined

/**
 * Resolves at the end of this turn of the event loop, once for all who wait. What is written to a connection after it, by whoever, leaves in one
 * system call: the client of NATS writes what it has at the end of the microtasks, and of 30 calls that one turn makes each wrote by itself before
 * (a write costs 15 to 40 µs, and wakes the reader 30 times).
 */
export function turnEnd(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined
      resolve()
    })
  })
  return ending
}
