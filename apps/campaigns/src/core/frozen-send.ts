import { smallSend, type FrozenSend } from '@herald/contracts/batch'
import type { FrozenSmallSend } from '@herald/contracts/calls/audience'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Experiment, Schedule } from '@herald/contracts/campaign'
import { defaultLateMinutes } from '@herald/contracts/late-minutes'
import type { LocalMoment } from '@herald/contracts/local-moment'
import type { ResolvedSend } from './overrides.ts'

/** The fields of a campaign that its send needs. They come from the campaign's row or from a request. */
export type Sending = ResolvedSend & {
  id: string
  appId: string
  name: string
  transactional: boolean
  schedule: Schedule | null
  experiment: Experiment | null
  remainder: FrozenSend['remainder']
  recall?: FrozenSend['recall'] | null
  localTimesAfter: Date | null
  test?: boolean | null | undefined
}

/** Makes the frozen send of a campaign: what audience fans out. */
export const freeze = ({ id, schedule, experiment, localTimesAfter, ...send }: Sending): FrozenSend => ({
  campaignId: id,
  appId: send.appId,
  name: send.name,
  transactional: send.transactional,
  content: send.content,
  silent: send.silent,
  data: send.data,
  ttl: send.ttl,
  collapseId: send.collapseId,
  priority: send.priority,
  presentation: send.presentation,
  bypass: send.bypass,
  experiment: experiment && {
    sampleRate: experiment.sampleRate,
    variants: experiment.variants.map(({ id: variant, weight, content }) => ({ id: variant, weight, content })),
  },
  remainder: send.remainder ?? null,
  userTimezone:
    schedule?.type === 'user_timezone' && localTimesAfter ? { ...momentOf(schedule), after: localTimesAfter.toISOString() } : null,
  ...(send.overrides ? { overrides: send.overrides } : {}),
  ...(send.category ? { category: send.category } : {}),
  ...(send.inbox ? { inbox: true as const } : {}),
  ...(send.activity ? { activity: send.activity } : {}),
  // A test waits for no rate.
  ...(send.perMinute && !send.test ? { sendRate: { perMinute: send.perMinute } } : {}),
  ...(send.recall ? { recall: send.recall } : {}),
  ...(send.test ? { test: true as const } : {}),
})

const momentOf = ({ localTime, date, lateMinutes }: LocalMoment): LocalMoment =>
  date === undefined ? { localTime } : { localTime, date, lateMinutes: lateMinutes ?? defaultLateMinutes }

/**
 * Gives a send with its target when it names at most 100 users or devices (`smallSend`) and has no rate, raised badges or Live Activity, so that
 * audience gets the send itself. Undefined for any other: audience gets a pointer.
 */
export function asSmallSend(send: FrozenSend, target: FrozenTarget | null): FrozenSmallSend | undefined {
  if (send.sendRate || send.activity || send.presentation?.badgeIncrement !== undefined) return undefined
  switch (target?.kind) {
    case 'externalIds':
      return target.externalIds.length <= smallSend ? { send, target } : undefined
    case 'userIds':
      return target.userIds.length <= smallSend ? { send, target } : undefined
    case 'subscriptionIds':
      return target.subscriptionIds.length <= smallSend ? { send, target } : undefined
    default:
      return undefined
  }
}
