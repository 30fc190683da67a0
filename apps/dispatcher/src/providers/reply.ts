import type { Reply } from '@herald/http2/client/reply'
import { word, type Answer } from '../core/answer.ts'

/** Says what a request without an answer means for its push. */
export function answerOfReply(reply: Exclude<Reply, { is: 'answered' }>): Answer {
  if (reply.is !== 'unanswered') return { is: reply.is, reason: word(reply.reason) }
  return { is: 'unanswered', why: reply.why, reason: reply.why === 'timeout' ? '' : word(reply.reason) }
}

/** Gives the JSON of an answer's body; undefined when the body is not JSON. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** Gives a field of a value; undefined when the value is no object. */
export const field = (value: unknown, name: string): unknown => (value instanceof Object ? Reflect.get(value, name) : undefined)
