/** An answer with a status or headers of its own. A `body` that is a string is JSON already. */
export class Reply {
  readonly body: unknown
  readonly status: number | undefined
  readonly headers: Record<string, string>

  constructor(body: unknown, { status, headers = {} }: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

/**
 * Makes the answer of an idempotent route. A replay has the body of the first answer, and a header that says that it is a replay
 * (spec: limits/idempotency-replay).
 */
export const replayed = ({ replayed: isReplay, ...answer }: { replayed: boolean }): Reply =>
  new Reply(answer, { headers: replayedHeaders(isReplay) })

export const replayedHeaders = (isReplay: boolean): Record<string, string> => (isReplay ? { 'Idempotent-Replayed': 'true' } : {})
