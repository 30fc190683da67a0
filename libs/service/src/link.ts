/** The connection to NATS as it is known at this moment, and what hangs on it. */
export type Link = {
  readonly up: boolean
  /** How many times the connection was lost. A call that came before a loss is not answered after it: NATS lets a process answer only over the connection that the call came by. */
  readonly losses: number
  /**
   * Sends a request as soon as the connection is up, and answers its answer. Rejects when the connection is lost before it came: then
   * nobody knows whether what was asked is done, as after a time-out. `send` is given the milliseconds that are left.
   */
  ask<Answer>(withinMs: number, send: (leftMs: number) => Promise<Answer>): Promise<Answer>
  /** The connection was lost, or is back. */
  became(state: 'lost' | 'back'): void
}

/**
 * Opens the link of a connection that is up. Left to itself the client drops what is written while it has no connection, and
 * lets who waits for an answer that was lost with it wait for the whole time limit: 8 s, in which a dispatcher told no outcome
 * and so sent nothing, for a server that was away for 0.3 s.
 */
export function openLink(): Link {
  let up = true
  let losses = 0
  const toSend = new Set<() => void>()
  const asked = new Set<(lost: Error) => void>()

  const untilUp = async (withinMs: number): Promise<void> => {
    if (up) return
    await new Promise<void>((resolve) => {
      const goOn = () => {
        clearTimeout(timer)
        toSend.delete(goOn)
        resolve()
      }
      const timer = setTimeout(goOn, withinMs)
      toSend.add(goOn)
    })
  }

  return {
    get up() {
      return up
    },
    get losses() {
      return losses
    },

    async ask(withinMs, send) {
      const startedAt = performance.now()
      await untilUp(withinMs)
      return new Promise((resolve, reject) => {
        asked.add(reject)
        const answer = async () => send(Math.max(1, withinMs - (performance.now() - startedAt)))
        void answer()
          .then(resolve, reject)
          .finally(() => asked.delete(reject))
      })
    },

    became(state) {
      up = state === 'back'
      if (!up) losses += 1
      if (up) for (const goOn of toSend) goOn()
      else for (const lose of asked) lose(new Error('the connection was lost before the answer came'))
    },
  }
}
