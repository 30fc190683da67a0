import type { FcmMessage } from '@herald/contracts/payload'
import type { Message } from 'firebase-admin/messaging'
import type { Answer } from '../../core/answer.ts'
import { answerOfFailure } from '../failure.ts'
import { answerLimitMs, type Hear, type Line, type Push } from '../provider.ts'
import { answerOf } from './answers.ts'
import { openFirebase, type FirebaseResult } from './firebase.ts'

/**
 * How messages are gathered into calls (see `gather`). Calls are large, because `sendEach` opens a TLS connection for each call. They are not larger,
 * because a connection has 100 streams, and the time limit of a message also runs while it waits for a stream. Several calls run at once, so that a
 * call that hangs does not stop the others.
 */
const calls = { most: 250, enough: 100, patienceMs: 20, callsAtOnce: 8 }

/** Opens a `Line` to FCM v1 for one project through firebase-admin. */
export function openFcmLine(projectId: string): Line {
  let currentToken = ''
  const firebase = openFirebase(projectId, () => Promise.resolve(currentToken), answerLimitMs)

  type Waiting = { message: Message; hear: Hear }
  const hand = gather<Waiting>(async (waiting) => {
    await firebase.sendEach(
      waiting.map(({ message }) => message),
      (place, result) => waiting[place]?.hear(read(result)),
    )
  }, calls)

  return {
    send(push, token, hear) {
      currentToken = token
      hand({ message: messageOf(push), hear })
    },
    close: () => firebase.close(),
  }
}

/**
 * Makes a message in the form that the library takes. The library renames only fields that it knows in camel case, so the field names of FCM's API
 * pass through unchanged. It insists on milliseconds for `ttl` alone. So FCM gets what contracts built.
 */
export function messageOf(push: Pick<Push, 'body' | 'ttlSeconds'>): Message {
  const { message } = JSON.parse(push.body) as FcmMessage
  return { ...message, android: { ...message.android, ttl: push.ttlSeconds * 1000 } }
}

function read(result: FirebaseResult): Answer {
  if ('error' in result) return answerOfFailure(result.error)
  const { status, headers, data } = result.answer
  return answerOf({ status, retryAfter: headers['retry-after'], data }, new Date())
}

/**
 * Gathers single items into calls. While no call is under way an item is sent at once. While calls are under way, items wait until there are `enough`
 * or the oldest has waited for `patienceMs`. So a lone push does not wait, and many pushes travel in a few large calls of at most `most`. Up to
 * `callsAtOnce` calls run at the same time, so a call that hangs does not hold up the others.
 */
export function gather<Item>(
  call: (items: Item[]) => Promise<void>,
  { most, enough, patienceMs, callsAtOnce }: { most: number; enough: number; patienceMs: number; callsAtOnce: number },
): (item: Item) => void {
  let waiting: Item[] = []
  let underWay = 0
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  const start = () => {
    clearTimeout(timer)
    timer = undefined
    while (waiting.length > 0 && underWay < callsAtOnce) {
      const taken = waiting.slice(0, most)
      waiting = waiting.slice(most)
      underWay += 1
      void call(taken).finally(() => {
        underWay -= 1
        if (waiting.length > 0) start()
      })
    }
  }

  /** Runs at the end of a turn of the event loop, so that the items of one turn are sent in one call. */
  const look = () => {
    turn = undefined
    if (underWay === 0 || waiting.length >= enough) start()
    else timer ??= setTimeout(start, patienceMs)
  }

  return (item) => {
    waiting.push(item)
    turn ??= setImmediate(look)
  }
}
