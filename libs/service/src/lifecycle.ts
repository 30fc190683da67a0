/** What a service needs when it starts, and what it closes when it stops. */
export type Lifecycle = {
  /** Registers a thing without which the service cannot work. `/readyz` names the thing while `isThere` is false. */
  needs(what: string, isThere: () => boolean): void
  /** Registers a function that runs first when the service stops, while everything is still open. Here a service stops taking work. */
  beforeStop(what: string, close: () => unknown): void
  /** Registers a function that runs when the service stops. What was registered last is closed first. */
  onStop(what: string, close: () => unknown): void
  started(): void
  /** Names what keeps the service from taking work now. The list is empty when the service is ready. */
  waitingFor(): string[]
  /** Closes everything, once. When one thing cannot be closed, calls `failed` and closes the next one. */
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
