import { Reply } from './route.ts'

/** The answer of an idempotent route: the same again on a replay, which a header tells (spec: limits/idempotency-replay). */
export const replayed = ({ replayed: isReplay, ...answer }: { replayed: boolean }): Reply =>
  new Reply(answer, { headers: replayedHeaders(isReplay) })

export const replayedHeaders = (isReplay: boolean): Record<string, string> => (isReplay ? { 'Idempotent-Replayed': 'true' } : {})
