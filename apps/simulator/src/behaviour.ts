import type { Answer } from './request.ts'

/** What a device can be told to answer, other than `ok`. */
export const refusals = ['dead', 'bad_token', 'rate_limited', 'failing', 'unavailable', 'sender_mismatch'] as const
export const behaviours = ['ok', ...refusals, 'silent', 'slow', 'reset_after_accept', 'accepted_then_503'] as const
export type Refusal = (typeof refusals)[number]

export type Behaviour = {
  answer: (typeof behaviours)[number]
  retryAfterSeconds?: number | undefined
  delayMs?: number | undefined
  /** For so many pushes, then ok again; for ever when absent. */
  times?: number | undefined
  /** When it began to behave so, epoch milliseconds: APNs tells it of dead devices. */
  since: number
}

/** `slow` without a delay of its own: longer than a usual request, shorter than a sender's time limit. */
const slowMs = 3000

/** Answer a push that is in order as the device was told to: `accept` records it and gives the good answer, `refuse` makes the provider's words for a "no". */
export function behave(
  device: { behaviour: Behaviour | undefined },
  accept: () => Answer,
  refuse: (refusal: Refusal, behaviour: Behaviour) => Answer,
): Answer {
  const behaviour = device.behaviour
  if (!behaviour) return accept()
  if (behaviour.times !== undefined && --behaviour.times <= 0) device.behaviour = undefined
  const { delayMs = behaviour.answer === 'slow' ? slowMs : 0 } = behaviour
  return { ...answerAs(behaviour, accept, refuse), delayMs }
}

function answerAs(behaviour: Behaviour, accept: () => Answer, refuse: (refusal: Refusal, behaviour: Behaviour) => Answer): Answer {
  switch (behaviour.answer) {
    case 'ok':
    case 'slow':
      return accept()
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
