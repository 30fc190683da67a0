import { z } from 'zod'
import { attributions } from './conversion.ts'
import { engagementKinds } from './event.ts'
import { failureCodes } from './outcome.ts'
import { lanes, platforms } from './platform.ts'
import { recallModes } from './recall.ts'
import { campaignStatuses } from './stats.ts'
import { Id } from './text.ts'

// What explain answers: why a device got a send, or why it did not (spec: administration/explain).

const Time = z.string().meta({ format: 'date-time' })
const Count = z.int().min(0)
const Code = z.string().nullable()

/**
 * `not_queued`: no push was made for the device, or none would be made if the send began now. With `waiting`, `held`, `retrying` and `in_flight` the
 * push has no outcome yet.
 */
export const verdicts = ['sent', 'failed', 'skipped', 'in_flight', 'retrying', 'held', 'waiting', 'not_queued'] as const
export type Verdict = (typeof verdicts)[number]
/**
 * How sure a statement of explain is. `recorded`: a row of the ledger or of a batch says so. `derived`: it follows from values that were frozen with
 * the send. `likely`: it follows from today's values.
 */
export const certainties = ['recorded', 'derived', 'likely'] as const
export type Certainty = (typeof certainties)[number]

/**
 * What a step decided. `pass`: the push may go on. `stop`: no push. `wait`: it waits. `info`: nothing decided. `basis`: the decision comes from a
 * recorded row, values frozen with the send, or today's values.
 */
const judged = {
  result: z.enum(['pass', 'stop', 'wait', 'info']),
  basis: z.enum(['recorded', 'frozen', 'now']),
}

export const ExplainedLeaf = z.object({
  path: z.string(),
  field: z.string(),
  op: z.string(),
  wanted: z.unknown().meta({ description: 'The value as it was written in the segment.' }),
  actual: z
    .union([z.string(), z.number(), z.boolean()])
    .nullable()
    .meta({ description: 'What the device or its user has now; null: nothing.' }),
  matched: z.boolean(),
})
export type ExplainedLeaf = z.infer<typeof ExplainedLeaf>

export const ExplainedStep = z.discriminatedUnion('step', [
  z.object({
    step: z.literal('device'),
    ...judged,
    createdAt: Time.nullable(),
    inBounds: z.boolean().nullable().meta({ description: 'It was there when the send began; null: the send has not begun.' }),
    deleted: z.boolean(),
  }),
  z.object({
    step: z.literal('reachable'),
    ...judged,
    optedIn: z.boolean(),
    optedOutAt: Time.nullable(),
    invalidatedAt: Time.nullable(),
    invalidatedBy: z.object({ code: z.string(), campaignId: Id.nullable() }).nullable(),
    registeredAt: Time,
  }),
  z.object({ step: z.literal('owner'), ...judged, queuedFor: Id, ownerNow: Id.nullable() }),
  z.object({
    step: z.literal('target'),
    ...judged,
    kind: z
      .enum(['externalIds', 'userIds', 'subscriptionIds', 'all', 'activity'])
      .meta({ description: '`activity`: whether the device has a token for the Live Activity of the send.' }),
    listed: z.boolean(),
  }),
  z.object({
    step: z.literal('segment'),
    ...judged,
    changedSince: z
      .boolean()
      .meta({ description: 'Whether what the segment asks about may have changed since the device was looked at for this send.' }),
    leaves: z.array(ExplainedLeaf),
  }),
  z.object({
    step: z.literal('experiment'),
    ...judged,
    inSample: z.boolean(),
    sampleRate: z.number(),
    variant: z.string().nullable(),
    remainderOf: Id.nullable().meta({ description: 'The experiment whose winner this send is: it goes to who is outside of that sample.' }),
  }),
  z.object({
    step: z.literal('wave'),
    ...judged,
    zone: z.string(),
    zoneKnown: z.boolean(),
    at: Time,
    wave: Count.nullable().meta({ description: 'Counted from 1; null: the waves are not planned yet.' }),
    of: Count.nullable(),
    expired: z
      .boolean()
      .meta({ description: 'The date and time of the send had passed in the zone when it was sent, so its pushes are skipped.' }),
  }),
  z.object({ step: z.literal('quiet_hours'), ...judged, start: z.string(), end: z.string(), zone: z.string(), until: Time.nullable() }),
  z.object({
    step: z.literal('frequency_cap'),
    ...judged,
    max: Count,
    windowSeconds: Count,
    counted: z.array(z.object({ campaignId: Id, at: Time })),
  }),
  z.object({ step: z.literal('page'), ...judged, cut: z.boolean() }),
  z.object({
    step: z.literal('batch'),
    ...judged,
    queuedAt: Time,
    lane: z.enum(lanes),
    notBefore: Time.nullable(),
    tries: Count,
    leasedUntil: Time.nullable(),
    circuit: z.object({ code: Code, since: Time, probeAt: Time.nullable() }).nullable(),
  }),
  z.object({
    step: z.literal('message'),
    ...judged,
    locale: z.string().nullable().meta({ description: 'Null: the send is silent.' }),
    fallback: z.boolean().meta({ description: 'No text is in a language of the user, so the default is shown.' }),
    bytes: Count.nullable().meta({ description: 'Null: nothing is left of the text.' }),
    limit: Count,
    truncated: z.boolean(),
    dropped: z.array(z.string()),
  }),
  z.object({
    step: z.literal('attempts'),
    ...judged,
    attempts: z.array(z.object({ n: z.int().min(1), at: Time, code: Code, providerCode: Code })),
  }),
  z.object({
    step: z.literal('outcome'),
    ...judged,
    outcome: z.enum(['sent', 'failed', 'skipped', 'past_retention']),
    code: Code,
    providerCode: Code,
    attempts: Count.nullable(),
    settledAt: Time.nullable(),
  }),
  z.object({
    step: z.literal('reports'),
    ...judged,
    reports: z.array(z.object({ kind: z.enum(engagementKinds), at: Time })),
    conversions: z
      .array(z.object({ name: z.string(), at: Time, how: z.enum(attributions) }))
      .optional()
      .meta({ description: 'The user’s conversions that are attributed to the campaign; left out when there is none.' }),
  }),
  // Last, because clients that were generated from a released document know the others by their places.
  z.object({
    step: z.literal('category'),
    ...judged,
    category: z.string(),
    subscribed: z.boolean(),
    default: z.enum(['in', 'out']).meta({ description: 'Who is in the category without a choice of their own: everybody or nobody.' }),
  }),
  z
    .object({ step: z.literal('holdout'), ...judged, heldOut: z.boolean(), percent: z.number() })
    .meta({ description: 'Whether the user is in the group that gets no campaign.' }),
  z
    .object({
      step: z.literal('recall'),
      ...judged,
      of: Id.meta({ description: 'The campaign that this one recalls.' }),
      mode: z.enum(recallModes),
      sent: z.boolean().meta({ description: 'That campaign was sent to the device.' }),
      opened: z.boolean().meta({ description: 'The device reported it opened.' }),
      skipOpened: z.boolean(),
    })
    .meta({ description: 'Whether the device is one that a recall asks to replace or remove a notification.' }),
])
export type ExplainedStep = z.infer<typeof ExplainedStep>
export type StepOf<Name extends ExplainedStep['step']> = Extract<ExplainedStep, { step: Name }>

/** What a push without an outcome waits for. `at`: when the wait ends, if that is known. */
export const WaitingFor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('schedule'), at: Time.nullable() }),
  z.object({
    kind: z.literal('fan_out'),
    scanned: Count.meta({ description: 'Devices that were looked at so far.' }),
    of: Count.nullable().meta({ description: 'Null: not counted.' }),
  }),
  z
    .object({ kind: z.literal('window') })
    .meta({ description: 'Its turn: the app has as much under way as it may, or a dispatcher is about to take it.' }),
  z.object({ kind: z.literal('wave'), at: Time, wave: Count, of: Count }),
  z.object({
    kind: z.literal('paused'),
    since: Time.nullable(),
    at: Time.nullable().meta({ description: 'A pause ends as a cancel then.' }),
  }),
  z.object({
    kind: z.literal('circuit'),
    platform: z.enum(platforms),
    environment: z.string(),
    code: z.enum(failureCodes).nullable(),
    since: Time,
    probeAt: Time.nullable(),
    at: Time.nullable(),
  }),
  z
    .object({ kind: z.literal('quota'), at: Time })
    .meta({ description: 'The turn of its credentials: the provider has asked them to send slower.' }),
  z.object({ kind: z.literal('retry'), at: Time, code: Code, providerCode: Code }),
  z.object({
    kind: z.literal('provider'),
    at: Time.nullable().meta({ description: 'Until when a dispatcher has it; then another may take it.' }),
  }),
  z
    .object({ kind: z.literal('rate'), at: Time.nullable(), perMinute: Count })
    .meta({ description: 'Its turn: the send has a sendRate. Null: the turns come this far later.' }),
])
export type WaitingFor = z.infer<typeof WaitingFor>

export const Trace = z.object({
  subscriptionId: Id,
  platform: z.enum(platforms).nullable(),
  verdict: z.enum(verdicts),
  certainty: z.enum(certainties),
  sentence: z.string(),
  waitingFor: WaitingFor.nullable(),
  steps: z.array(ExplainedStep),
})
export type Trace = z.infer<typeof Trace>

/** Explain answers about at most this many devices at once. */
export const mostExplained = 100

export const Explained = z.object({
  campaignId: Id,
  status: z.enum(campaignStatuses),
  startedAt: Time.nullable(),
  fannedOutAt: Time.nullable(),
  user: z.object({ id: Id, externalId: z.string().nullable() }).nullable(),
  devices: z.array(Trace),
  recalls: z
    .array(z.object({ campaignId: Id, mode: z.enum(recallModes), status: z.enum(campaignStatuses) }))
    .optional()
    .meta({
      description: 'The follow-ups that ask devices to replace or remove this campaign’s notification; left out when there is none.',
    }),
})
export type Explained = z.infer<typeof Explained>
