let ending: Promise<void> | undefined

/**
 * Resolves at the end of this turn of the event loop for all callers, so that what they write goes out in one system call. Without it 30 calls of a
 * turn were 30 writes of 15 to 40 µs.
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
