import { knownAnswer } from '@herald/contracts/provider-answers'
import type { Answer } from './request.ts'

/** The behaviours of a device with which its provider refuses a push to it. */
export const refusals = ['dead', 'bad_token', 'rate_limited', 'failing', 'unavailable', 'sender_mismatch'] as const
export const behaviours = [
  'ok',
  ...refusals,
  'known',
  'odd_header',
  'switching_protocols',
  'bridged',
  'offline',
  'silent',
  'slow',
  'reset_after_accept',
  'accepted_then_503',
] as const
export type Refusal = (typeof refusals)[number]

export type Behaviour = {
  answer: (typeof behaviours)[number]
  /** With `known`: the name of an answer of a real service (libs/contracts/src/provider-answers.ts). */
  known?: string | undefined
  /** The text of `Retry-After`, also one that no RFC knows. */
  retryAfter?: string | undefined
  retryAfterSeconds?: number | undefined
  delayMs?: number | undefined
  /** This many pushes to the device get this behaviour, and later ones are answered `ok` again. When absent, all pushes get this behaviour. */
  times?: number | undefined
  /** When this behaviour was set, in Unix milliseconds. APNs tells the sender since when a device is dead. */
  since: number
}

/** The delay of a `slow` answer when none is given, in milliseconds: longer than a usual request takes, shorter than a sender's time limit. */
const slowMs = 3000

/**
 * Answers a valid push of `bytes` by its device's behaviour. `accept` records the push and gives the good answer; when the device `isOff`, it notes too
 * what the provider keeps for it. `refuse` makes the provider's refusal.
 */
export function behave(
  device: { behaviour: Behaviour | undefined },
  accept: (isOff?: boolean) => Answer,
  refuse: (refusal: Refusal, behaviour: Behaviour) => Answer,
  bytes = 0,
): Answer {
  const behaviour = device.behaviour
  if (!behaviour) return accept()
  if (behaviour.times !== undefined && --behaviour.times <= 0) device.behaviour = undefined
  const { delayMs = behaviour.answer === 'slow' ? slowMs : 0 } = behaviour
  const answer = answerAs(behaviour, accept, refuse, bytes)
  const retryAfter = behaviour.retryAfter === undefined ? {} : { 'retry-after': behaviour.retryAfter }
  return { ...answer, headers: { ...answer.headers, ...retryAfter }, delayMs }
}

/** The largest encrypted body that a bridge takes: 2,820 bytes of text with padding and header. */
const bridgedBytes = 2_923

function answerAs(
  behaviour: Behaviour,
  accept: (isOff?: boolean) => Answer,
  refuse: (refusal: Refusal, behaviour: Behaviour) => Answer,
  bytes: number,
): Answer {
  switch (behaviour.answer) {
    case 'ok':
    case 'slow':
      return accept()
    case 'offline':
      return accept(true)
    case 'known':
      return answerOfService(behaviour.known ?? '')
    // Servers and proxies of others send such fields (curl#9448); the push is accepted.
    case 'odd_header': {
      const answer = accept()
      return { ...answer, headers: { ...answer.headers, 'X-Upper': 'case', 'x-trailing': 'blank ' } }
    }
    case 'switching_protocols':
      return { status: 101, headers: {}, body: '', reason: 'Switching Protocols' }
    // A browser behind a bridge, such as Firefox for Android: it takes fewer bytes (mozilla-services/autopush#748).
    case 'bridged':
      return bytes > bridgedBytes ? answerOfService('web too large, Firefox for Android') : accept()
    case 'silent':
      return { status: 0, headers: {}, body: '', reason: 'silent', ending: 'silence' }
    case 'reset_after_accept':
      return { ...accept(), ending: 'reset' }
    case 'accepted_then_503':
      accept()
      return refuse('unavailable', behaviour)
    default:
      return refuse(behaviour.answer, behaviour)
  }
}

/** Gives an answer of a real service by its name. Throws when no service is known to give it. */
export function answerOfService(name: string): Answer {
  const known = knownAnswer(name)
  if (!known) throw new Error(`no real service is known to answer "${name}"`)
  return { status: known.status, headers: { ...known.headers }, body: known.body, reason: known.name }
}
