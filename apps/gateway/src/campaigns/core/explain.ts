import type { ExplainedDevice } from '@herald/contracts/calls/audience'
import type { ExplainedPush } from '@herald/contracts/calls/tracker'
import type { NamedBy } from '@herald/contracts/campaign'
import type { Certainty, ExplainedStep, StepOf, Trace, Verdict, WaitingFor } from '@herald/contracts/explain'
import type { RecallMode } from '@herald/contracts/recall'
import { skipReasons, type SkipReason } from '@herald/contracts/outcome'
import type { CampaignStatus } from '@herald/contracts/stats'
import { sentenceOfEnd, sentenceOfStop, sentenceOfWaiting, stepOf } from './explain-sentence.ts'

/** What a trace needs to know of a campaign and its ledger. */
export type SendOfTrace = {
  status: CampaignStatus
  /** Whether the campaign is cancelled or its cancel was asked for. */
  cancelled: boolean
  failure: string | null
  nextAt: string | null
  pause: { since: string; until: string } | null
  /** Whether the send is for the inbox too, so that opted-out devices have a push. */
  inbox: boolean
  startedAt: string | null
  /** The segment as it was written; null when the send is to everyone, or names users or devices. */
  definition: unknown
  /** What the send named, when Herald does not know any more which ones: the list is deleted after the send's end. Else null. */
  forgottenBy: NamedBy | null
  /** Whether the outcomes of the send are past their retention. */
  isPast: boolean
}

/** The step of the trace that stopped a push, for each skip reason that has a step of its own. */
const stoppedBy: { readonly [Reason in SkipReason]?: ExplainedStep['step'] } = {
  opted_out: 'reachable',
  invalidated: 'reachable',
  deleted: 'device',
  owner_changed: 'owner',
  holdout: 'holdout',
  quiet_hours: 'quiet_hours',
  frequency_cap: 'frequency_cap',
  empty_content: 'message',
  unsubscribed: 'category',
  expired: 'wave',
}

/** Whether the step says that a push is skipped for the reason, by the values that the step was computed from. */
const saysSo = (step: ExplainedStep, reason: SkipReason): boolean =>
  step.result === 'stop' &&
  step.step === stoppedBy[reason] &&
  (step.step !== 'reachable' || (reason === 'invalidated') === (step.invalidatedAt !== null))

/** A device that one of these steps stops gets no push at all. When another step stops a device, its push is made and then skipped. */
const keepOut: ReadonlySet<ExplainedStep['step']> = new Set(['device', 'reachable', 'recall', 'target', 'segment', 'experiment'])

/**
 * Adds to a device of a recall the step that says whether it is one to ask: whether the first campaign was sent to it, and opened. After that
 * campaign's retention nobody knows, and there is no step.
 */
export function withRecall(
  device: ExplainedDevice,
  { of, mode }: { of: string; mode: RecallMode },
  { skipOpened }: { skipOpened: boolean },
  { ledger, pushes }: { ledger: 'none' | 'kept' | 'past'; pushes: readonly ExplainedPush[] },
): ExplainedDevice {
  if (ledger !== 'kept') return device
  const first = pushes.find(({ subscriptionId }) => subscriptionId === device.subscriptionId)
  const sent = first?.end?.outcome === 'sent'
  const opened = first?.reports.some(({ kind }) => kind === 'opened') ?? false
  const result = sent && !(skipOpened && opened) ? 'pass' : 'stop'
  const step: StepOf<'recall'> = { step: 'recall', result, basis: 'recorded', of, mode, sent, opened, skipOpened }
  const place = device.steps.findLastIndex((known) => known.step === 'device' || known.step === 'reachable') + 1
  return { ...device, steps: [...device.steps.slice(0, place), step, ...device.steps.slice(place)] }
}

/** Explains why a device got a send or did not, from what audience knows of the device and what the ledger has of its push. */
export function traceOf(send: SendOfTrace, device: ExplainedDevice, push: ExplainedPush | undefined): Trace {
  const { subscriptionId, push: here } = device
  const of = { subscriptionId, platform: device.platform ?? push?.platform ?? null }
  if (push?.end) {
    const steps = stepsOfQueued(device, { ...push, end: push.end })
    const end = stepOf(steps, 'outcome')
    return {
      ...of,
      verdict: push.end.outcome,
      certainty: 'recorded',
      sentence: end ? sentenceOfEnd(steps, end, send.inbox) : '',
      waitingFor: null,
      steps,
    }
  }
  if (push || here.is === 'open') {
    const steps = stepsOfQueued(device, push)
    const waitingFor = here.is === 'open' ? withPause(here.waitingFor, send) : ({ kind: 'window' } as const)
    const verdict = here.is === 'open' ? here.verdict : 'in_flight'
    return { ...of, verdict, certainty: 'recorded', sentence: sentenceOfWaiting(waitingFor, steps), waitingFor, steps }
  }
  return { ...of, ...traceWithoutPush(send, device) }
}

/**
 * Gives the steps of a push that was made. A step that would stop it by today's values did not stop it then, so it is information. The step that is a
 * skip's reason is the stop.
 */
function stepsOfQueued({ steps: known, owner, push: here }: ExplainedDevice, push: ExplainedPush | undefined): ExplainedStep[] {
  const end = push?.end ?? null
  // `expired` also means that the ttl ended, which no step says.
  const isOfTtl = end?.code === 'expired' && stepOf(known, 'wave')?.expired !== true
  const stop = end?.outcome === 'skipped' && !isOfTtl ? stoppedBy[end.code as SkipReason] : undefined
  const shown = known.map((step): ExplainedStep => {
    if (step.step === stop) return { ...step, result: 'stop', basis: 'recorded' }
    if (step.step === 'page') return { ...step, result: 'pass', basis: 'recorded', cut: true }
    if (step.step === 'batch' || step.step === 'message') return step
    return { ...step, result: step.result === 'stop' ? 'info' : step.result === 'wait' ? 'pass' : step.result }
  })
  const before = (names: readonly string[]) => shown.filter(({ step }) => names.includes(step))
  const after = shown.filter(({ step }) => !['device', 'reachable', 'batch', 'message', 'page'].includes(step))
  const queuedFor = push?.userId ?? (here.is === 'open' ? here.queuedFor : '')
  const ownerNow = owner?.id ?? null
  return cutAfterStop([
    ...before(['device', 'reachable']),
    { step: 'owner', result: stop === 'owner' ? 'stop' : ownerNow === queuedFor ? 'pass' : 'info', basis: 'recorded', queuedFor, ownerNow },
    ...after.map((step) => (step.step === 'frequency_cap' && end ? countedUntil(step, end.at) : step)),
    ...(stepOf(shown, 'page') ? before(['page']) : [{ step: 'page', result: 'pass', basis: 'recorded', cut: true } as const]),
    ...before(end ? ['message'] : ['batch', 'message']),
    ...attemptsOf(push?.trail.length ? push.trail : here.is === 'open' ? here.trail : [], end),
    ...(end ? [outcomeOf(end)] : []),
    ...(push ? reportsOf(push) : []),
  ])
}

/** Gives the step with what the device reported and what the user did because of the send; none when there is neither. */
const reportsOf = ({ reports, conversions }: ExplainedPush): ExplainedStep[] =>
  reports.length === 0 && !conversions
    ? []
    : [{ step: 'reports', result: 'info', basis: 'recorded', reports, ...(conversions && { conversions }) }]

/** Leaves out what follows from present values behind the step that stopped the push: it did not come there. Recorded steps stay. */
function cutAfterStop(steps: ExplainedStep[]): ExplainedStep[] {
  const stop = steps.findIndex(({ result }) => result === 'stop')
  return steps.filter(({ basis }, place) => stop === -1 || place <= stop || basis === 'recorded')
}

const countedUntil = (step: StepOf<'frequency_cap'>, at: string): StepOf<'frequency_cap'> => ({
  ...step,
  counted: step.counted.filter((one) => one.at <= at),
})

type End = NonNullable<ExplainedPush['end']>
const orNull = (text: string): string | null => (text === '' ? null : text)

const outcomeOf = ({ outcome, code, providerCode, attempts, at }: End): StepOf<'outcome'> => ({
  step: 'outcome',
  result: outcome === 'sent' ? 'pass' : 'stop',
  basis: 'recorded',
  outcome,
  code: orNull(code),
  providerCode: orNull(providerCode),
  attempts,
  settledAt: at,
})

/**
 * Gives the step that lists the provider's answers: those to earlier attempts, then the one that ended the push, if an attempt ended it. A push
 * that was never attempted has no such step.
 */
function attemptsOf(trail: ExplainedPush['trail'], end: End | null): ExplainedStep[] {
  const attempts: StepOf<'attempts'>['attempts'] = trail.map(({ at, code, providerCode }, place) => {
    return { n: place + 1, at, code, providerCode: orNull(providerCode) }
  })
  if (end && end.attempts > trail.length)
    attempts.push({ n: end.attempts, at: end.at, code: orNull(end.code), providerCode: orNull(end.providerCode) })
  return attempts.length > 0 ? [{ step: 'attempts', result: 'info', basis: 'recorded', attempts }] : []
}

type TraceBody = Pick<Trace, 'verdict' | 'certainty' | 'sentence' | 'waitingFor' | 'steps'>

function traceWithoutPush(send: SendOfTrace, { steps, push: here }: ExplainedDevice): TraceBody {
  const isAhead = here.is === 'ahead' || (here.is === 'nowhere' && waits(send))
  const out = steps.findIndex((one) => keepOut.has(one.step) && one.result === 'stop' && !(send.inbox && saysSo(one, 'opted_out')))
  const stop = steps[out]
  if (stop) {
    const sentence = sentenceOfStop(stop, send.definition, send.startedAt)
    return notQueued(stop.basis === 'now' ? 'likely' : 'derived', sentence, steps.slice(0, out + 1))
  }
  if (send.isPast) {
    const end: StepOf<'outcome'> = { ...forgotten, result: 'info', basis: 'recorded' }
    const all = [...steps.map(decidedNothing), end]
    return { verdict: 'sent', certainty: 'likely', sentence: sentenceOfEnd(all, end, send.inbox), waitingFor: null, steps: all }
  }
  if (isAhead) {
    const waitingFor = here.is === 'ahead' ? withPause(here.waitingFor, send) : waitingToBegin(send)
    const reason = skipReasons.find((one) => steps.some((step) => saysSo(step, one)))
    const skip = reason ? steps.findIndex((step) => saysSo(step, reason)) : steps.length
    const shown = steps
      .slice(0, skip + 1)
      .map((step, place) => (place < skip && step.result === 'stop' ? { ...step, result: 'info' as const } : step))
    const wouldSkip = steps[skip] ? ` It would be skipped now, by ${steps[skip].step.replace('_', ' ')}.` : ''
    return { verdict: 'waiting', certainty: 'likely', sentence: sentenceOfWaiting(waitingFor, steps) + wouldSkip, waitingFor, steps: shown }
  }
  const before = steps.filter(({ step }) => step !== 'page' && step !== 'message').map(decidedNothing)
  if (here.is === 'passed' || (here.is === 'nowhere' && (send.cancelled || send.status === 'failed'))) {
    const page: ExplainedStep = { step: 'page', result: 'stop', basis: 'recorded', cut: false }
    const why =
      send.status === 'failed'
        ? `failed before it came to this device: ${send.failure ?? 'nobody noted why'}`
        : 'was cancelled before it came to this device.'
    return notQueued('derived', `The send ${why}`, [...before, page])
  }
  if (send.forgottenBy !== null) {
    const target: ExplainedStep = { step: 'target', result: 'stop', basis: 'now', kind: send.forgottenBy, listed: false }
    return notQueued('likely', notNamed, [...before.filter(({ step }) => step === 'device' || step === 'reachable'), target])
  }
  const page: ExplainedStep = { step: 'page', result: 'stop', basis: 'now', cut: true }
  return notQueued('likely', notMeantThen, [...before, page])
}

const notNamed = 'The send named users or devices, and no push was made for this one. Whom it named is not kept after its end.'
const notMeantThen =
  'When the send came to this device it was not meant or not reachable. By the values of now it would be queued: they have changed since.'

const forgotten = { step: 'outcome', outcome: 'past_retention', code: null, providerCode: null, attempts: null, settledAt: null } as const

const decidedNothing = (step: ExplainedStep): ExplainedStep =>
  step.result === 'stop' || step.result === 'wait' ? { ...step, result: 'info' } : step

const notQueued = (certainty: Certainty, sentence: string, steps: ExplainedStep[]): TraceBody => ({
  verdict: 'not_queued' satisfies Verdict,
  certainty,
  sentence,
  waitingFor: null,
  steps,
})

/** Whether a campaign whose fan-out has not begun may still be sent. */
const waits = ({ status, cancelled }: SendOfTrace): boolean => !cancelled && !['sent', 'cancelled', 'failed'].includes(status)

function waitingToBegin(send: SendOfTrace): WaitingFor {
  if (send.status === 'paused') return withPause({ kind: 'paused', since: null, at: null }, send)
  return send.status === 'sending' ? { kind: 'fan_out', scanned: 0, of: null } : { kind: 'schedule', at: send.nextAt }
}

const withPause = (waitingFor: WaitingFor, { pause }: SendOfTrace): WaitingFor =>
  waitingFor.kind === 'paused' ? { ...waitingFor, since: pause?.since ?? null, at: pause?.until ?? null } : waitingFor
