/** What an app waits for when it starts, and what it closes when it stops. */
export type Lifecycle = {
  /** Registers what the app cannot work without. `/readyz` names it while it is not there. */
  needs(what: string, isThere: () => boolean): void
  /** Runs first when the app stops, while everything is still open: here an app stops taking work. */
  beforeStop(what: string, close: () => unknown): void
  /** Runs when the app stops: what was registered last is closed first. */
  onStop(what: string, close: () => unknown): void
  started(): void
  /** Names what keeps the app from taking work at this moment. The list is empty when the app is ready. */
  waitingFor(): string[]
  /** Closes everything, once. When one thing cannot be closed, `failed` is told and the next one is closed. */
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
