import type { FcmMessage } from '@herald/contracts/payload'
import type { Message } from 'firebase-admin/messaging'
import type { Answer } from '../../core/answer.ts'
import { answerOfFailure } from '../failure.ts'
import { answerLimitMs, type Hear, type Line, type Push } from '../provider.ts'
import { answerOf } from './answers.ts'
import { openFirebase, type FirebaseResult } from './firebase.ts'

/**
 * How messages are gathered (`gather`). `sendEach` opens a TLS connection for each call, so calls are large; a connection has 100 streams, and a
 * message's time limit runs while it waits for one, so not larger.
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
 * Makes a message as the library takes it: it renames only fields that it knows in camel case, so FCM gets what contracts built. For `ttl` alone it
 * insists on milliseconds.
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
 * Gathers items into at most `callsAtOnce` calls of at most `most`. An item goes at once while no call is under way, otherwise when `enough` wait or
 * the oldest has waited for `patienceMs`.
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
