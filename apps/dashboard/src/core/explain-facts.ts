import type { ExplainedStep, StepOf } from '@herald/contracts/explain'
import { headlineOfOutcome, inWords } from './explain-words.ts'

export const stationNames = ['audience', 'reachable', 'cap', 'quiet_hours', 'locale', 'render', 'size', 'provider', 'device'] as const

export type StationName = (typeof stationNames)[number]

/**
 * When a fact was true. `then`: at the time of the send, recorded or frozen. `now`: when the trace was read. The page shows the two apart, and no
 * line mixes them (spec: dashboard/explain-clocks).
 */
export type Clock = 'then' | 'now'

export type Fact = {
  label: string
  value: string
  /** How the value is shown: as text, as a time, as an id to copy, or as a link to a campaign. */
  kind: 'text' | 'time' | 'id' | 'campaign'
  clock: Clock
  /** The failure code or skip reason of the fact, when the page may have a remedy for it. */
  code?: string
  /** A line for the closed station, which shows the line of the first fact that has one. */
  headline?: string
}

const clockOf = ({ basis }: ExplainedStep): Clock => (basis === 'now' ? 'now' : 'then')

type Draft = Omit<Fact, 'clock' | 'kind'> & { kind?: Fact['kind']; clock?: Clock }

/** Gives the facts of a step of a trace, as the lines of an open station. */
export function factsOf(station: StationName, step: ExplainedStep): Fact[] {
  const clock = clockOf(step)
  return draftsOf(station, step).map((draft) => ({ kind: 'text', clock, ...draft }))
}

/** An imported device that has not registered yet has the moment 0 (the import's file named none). */
const isNever = (at: string): boolean => Date.parse(at) === 0
const yesNo = (value: boolean): string => (value ? 'Yes' : 'No')
const time = (label: string, at: string | null | undefined, more: Partial<Draft> = {}): Draft[] =>
  at ? [{ label, value: at, kind: 'time', ...more }] : []
const id = (label: string, value: string | null, kind: Fact['kind'] = 'id'): Draft[] => (value === null ? [] : [{ label, value, kind }])
const text = (label: string, value: string | number | null | undefined, headline?: string): Draft[] =>
  value === null || value === undefined || value === ''
    ? []
    : [{ label, value: String(value), ...(headline === undefined ? {} : { headline }) }]

function draftsOf(station: StationName, step: ExplainedStep): Draft[] {
  switch (step.step) {
    case 'device':
      return ofDevice(step)
    case 'owner':
      return ofOwner(step)
    case 'target':
      return text('Targeted', step.kind === 'all' ? 'everyone' : yesNo(step.listed), headlineOfTarget(step))
    case 'segment':
      return []
    case 'experiment':
      return ofExperiment(step)
    case 'recall':
      return ofRecall(step)
    case 'holdout':
      return text('In the control group', yesNo(step.heldOut), `${step.percent} % of users get no campaigns.`)
    case 'reachable':
      return ofReachable(step)
    case 'category':
      return ofCategory(step)
    case 'frequency_cap':
      return ofCap(step)
    case 'wave':
      return ofWave(step)
    case 'quiet_hours':
      return ofQuietHours(step)
    case 'message':
      return ofMessage(station, step)
    case 'page':
      return text('Recipients prepared up to this user', step.cut ? 'Yes' : 'Not yet')
    case 'batch':
      return ofBatch(step)
    case 'attempts':
      return []
    case 'outcome':
      return ofOutcome(step)
    case 'reports':
      return step.reports.flatMap(({ kind, at }) =>
        time(`Reported ${kind}`, at, { headline: `The device reported: ${step.reports.map((one) => one.kind).join(', ')}.` }),
      )
  }
}

const headlineOfTarget = ({ kind, listed }: StepOf<'target'>): string =>
  kind === 'activity'
    ? listed
      ? 'It has a token for the Live Activity.'
      : 'It has no token for the Live Activity.'
    : kind === 'all'
      ? 'The send is for everyone.'
      : listed
        ? 'Targeted by the send.'
        : 'Not targeted by the send.'

const ofDevice = (step: StepOf<'device'>): Draft[] => [
  ...(step.deleted ? text('Device', 'deleted', 'The device is deleted.') : []),
  ...time('First registered', step.createdAt),
  ...(step.inBounds === null
    ? []
    : text(
        'Existed at send time',
        yesNo(step.inBounds),
        step.inBounds ? 'It existed at send time.' : 'It was registered after the send had started.',
      )),
]

const ofOwner = (step: StepOf<'owner'>): Draft[] => [
  ...id('Queued for user', step.queuedFor).map((draft): Draft =>
    step.ownerNow === step.queuedFor ? draft : { ...draft, headline: 'Another user logged in on this device after the push was queued.' },
  ),
  ...id('Belongs to user', step.ownerNow).map((draft): Draft => ({ ...draft, clock: 'now' })),
]

const ofExperiment = (step: StepOf<'experiment'>): Draft[] => [
  ...text(`Test group (${Math.round(step.sampleRate * 1000) / 10} %)`, yesNo(step.inSample)),
  ...text('Variant', step.variant),
  ...id('Winning variant of the A/B test', step.remainderOf, 'campaign'),
]

const ofRecall = ({ of, sent, opened }: StepOf<'recall'>): Draft[] => [
  ...id('Recalls the campaign', of, 'campaign'),
  ...text('Was sent that campaign', yesNo(sent)),
  ...text('Opened', yesNo(opened)),
]

function ofReachable(step: StepOf<'reachable'>): Draft[] {
  const by = step.invalidatedBy
  const headline = !step.optedIn
    ? 'The device is opted out.'
    : step.invalidatedAt
      ? `The device has an invalid token${by ? `: ${by.code}` : ''}.`
      : 'The device is opted in and its token is valid.'
  return [
    ...text('Opted in', yesNo(step.optedIn), headline),
    ...time('Opted out', step.optedOutAt),
    ...time('Invalid token since', step.invalidatedAt),
    ...text('Invalid token because of', by?.code),
    ...id('Detected by campaign', by?.campaignId ?? null, 'campaign'),
    ...(isNever(step.registeredAt) ? text('Last registered', 'never') : time('Last registered', step.registeredAt)),
  ]
}

const ofCategory = (step: StepOf<'category'>): Draft[] => [
  ...text('Category', step.category),
  ...text(
    'Subscribed',
    yesNo(step.subscribed),
    step.subscribed ? `The user is subscribed to ${step.category}.` : `The user is not subscribed to ${step.category}.`,
  ),
  ...text('Default', step.default === 'in' ? 'subscribed' : 'not subscribed'),
]

const ofCap = (step: StepOf<'frequency_cap'>): Draft[] => [
  ...text(
    'Cap',
    `${step.max} ${step.max === 1 ? 'campaign' : 'campaigns'} within ${inWords(step.windowSeconds)}`,
    `${step.counted.length} of ${step.max} ${step.max === 1 ? 'campaign' : 'campaigns'} within ${inWords(step.windowSeconds)} ${step.counted.length === 1 ? 'was' : 'were'} used.`,
  ),
  ...step.counted.flatMap(({ campaignId, at }) => [...id('Counted', campaignId, 'campaign'), ...time('At', at)]),
]

const ofWave = (step: StepOf<'wave'>): Draft[] => [
  ...text('Zone', step.zoneKnown ? step.zone : `${step.zone}, the app’s: the user has none`),
  ...(step.expired
    ? text('Its time', 'had passed', `The date and time of the send had passed in ${step.zone} when it was sent.`)
    : time('Batch begins', step.at)),
  ...(step.wave === null ? [] : text('Time-zone batch', step.of === null ? step.wave : `${step.wave} of ${step.of}`)),
]

const ofQuietHours = (step: StepOf<'quiet_hours'>): Draft[] => [
  ...text(
    'Quiet',
    `${step.start} to ${step.end} in ${step.zone}`,
    step.until
      ? `Quiet hours from ${step.start} to ${step.end} in ${step.zone}.`
      : `It was outside the quiet hours, ${step.start} to ${step.end} in ${step.zone}.`,
  ),
  ...time('Over at', step.until),
]

function ofMessage(station: StationName, step: StepOf<'message'>): Draft[] {
  if (station === 'locale') {
    const shown = step.locale ?? 'silent'
    return text(
      'Language',
      step.locale === null ? 'none: the send is silent' : shown,
      step.locale === null
        ? 'The send is silent and shows no text.'
        : step.fallback
          ? `The default text, ${shown}: no text is in a language of the user.`
          : `The text in ${shown}.`,
    )
  }
  if (station === 'render') {
    if (step.bytes === null && step.locale !== null) return text('Text', 'empty', 'Title and text are empty after personalization.')
    return text(
      'Left out',
      step.dropped.join(', ') || 'nothing',
      step.dropped.length > 0 ? `Personalized; left out: ${step.dropped.join(', ')}.` : 'All placeholders filled.',
    )
  }
  if (step.bytes === null) return []
  return [
    ...text(
      'Bytes',
      `${grouped(step.bytes)} of ${grouped(step.limit)}`,
      `${grouped(step.bytes)} of ${grouped(step.limit)} bytes${step.truncated ? ', after the text was truncated' : ''}.`,
    ),
    ...text('Truncated', yesNo(step.truncated)),
  ]
}

const ofBatch = (step: StepOf<'batch'>): Draft[] => [
  ...time('Queued', step.queuedAt),
  ...text('Sending lane', step.lane === 'prompt' ? 'fast' : 'bulk'),
  ...time('Not before', step.notBefore),
  ...text('Attempts so far', step.tries),
  ...time('Current attempt ends by', step.leasedUntil),
  ...(step.circuit === null
    ? []
    : [
        ...text(
          'On hold because of',
          step.circuit.code ?? 'provider errors',
          `On hold: the provider accepts no pushes now${step.circuit.code ? ` (${step.circuit.code})` : ''}.`,
        ).map((draft): Draft => ({ ...draft, ...(step.circuit?.code ? { code: step.circuit.code } : {}) })),
        ...time('On hold since', step.circuit.since),
        ...time('Next retry', step.circuit.probeAt),
      ]),
]

const ofOutcome = (step: StepOf<'outcome'>): Draft[] => [
  ...text('Outcome', step.outcome === 'past_retention' ? 'no longer stored' : step.outcome, headlineOfOutcome(step)),
  ...text('Code', step.code).map((draft): Draft => ({ ...draft, code: draft.value })),
  ...text('Provider response', step.providerCode),
  ...text('Attempts', step.attempts),
  ...time('Ended', step.settledAt),
]

const grouped = (count: number): string => count.toLocaleString('en')
