import { Reply } from './route.ts'

/** The answer of an idempotent route. A replay has the body of the first answer, and a header that says so (spec: limits/idempotency-replay). */
export const replayed = ({ replayed: isReplay, ...answer }: { replayed: boolean }): Reply =>
  new Reply(answer, { headers: replayedHeaders(isReplay) })

export const replayedHeaders = (isReplay: boolean): Record<string, string> => (isReplay ? { 'Idempotent-Replayed': 'true' } : {})
