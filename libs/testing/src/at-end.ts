const closers: (() => unknown)[] = []

/** Closes something at the end of the test file; what was given last is closed first. */
export const atEnd = (close: () => unknown): void => void closers.push(close)

/** Closes what `atEnd` was given since the last call. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close()
}
