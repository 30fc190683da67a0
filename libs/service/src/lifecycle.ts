/** From its start to its stop: what an app waits for, and what it closes. */
export type Lifecycle = {
  /** Named by `/readyz` while it is not there: without it the app takes no work. */
  needs(what: string, isThere: () => boolean): void
  /** Runs before everything that closes, while all of it still works: the place to take nothing more in. */
  beforeStop(what: string, close: () => unknown): void
  /** Runs when the app stops, before everything registered earlier. */
  onStop(what: string, close: () => unknown): void
  started(): void
  /** What keeps the app from taking work at this moment; nothing: it is ready. */
  waitingFor(): string[]
  /** Closes everything, once; one that fails is told to `failed` and the next goes on. */
  stop(failed: (what: string, error: unknown) => void): Promise<void>
}

type Closer = { what: string; close: () => unknown }

export function openLifecycle(): Lifecycle {
  const needed: { what: string; isThere: () => boolean }[] = []
  const first: Closer[] = []
  const closers: Closer[] = []
  let state: 'start' | 'running' | 'stop' = 'start'
  return {
    needs: (what, isThere) => void needed.push({ what, isThere }),
    beforeStop: (what, close) => void first.push({ what, close }),
    onStop: (what, close) => void closers.push({ what, close }),
    started() {
      if (state === 'start') state = 'running'
    },
    waitingFor() {
      if (state === 'stop') return ['stop']
      const missing = needed.filter(({ isThere }) => !isThere()).map(({ what }) => what)
      return state === 'start' ? ['start', ...missing] : missing
    },
    async stop(failed) {
      state = 'stop'
      for (const { what, close } of [...first.splice(0), ...closers.splice(0).toReversed()]) {
        try {
          await close()
        } catch (error) {
          failed(what, error)
        }
      }
    },
  }
}
