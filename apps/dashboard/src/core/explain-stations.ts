import { providerOf } from '@herald/contracts/app'
import type { ExplainedStep, StepOf, Trace } from '@herald/contracts/explain'
import type { Platform } from '@herald/contracts/platform'
import { remedies, remedyOf } from '@herald/contracts/remedies'
import { treeOfLeaves, type SegmentBranch } from './segment-leaves.ts'
import { factsOf, type Fact, type StationName, stationNames } from './explain-facts.ts'

/**
 * The page of explain shows a trace as nine stations, always in the same order, each with its steps. A station without a step says so in a sentence,
 * because an operator would read an empty station as "fine".
 */

/**
 * What a station says of the push. `stop`: it ended here, or would with the present values. `wait`: it waits here. `pass`: it came through. `info`:
 * facts that decided nothing. `none`: it did not come here, or unknown.
 */
export type StationResult = 'stop' | 'wait' | 'pass' | 'info' | 'none'

export type Station = {
  name: StationName
  label: string
  result: StationResult
  /** The one line that a closed station shows. */
  summary: string
  facts: Fact[]
  segment: { tree: SegmentBranch | undefined; changedSince: boolean } | null
  attempts: StepOf<'attempts'>['attempts']
}

const labels: Readonly<Record<StationName, string>> = {
  audience: 'Audience',
  reachable: 'Reachable',
  cap: 'Frequency cap',
  quiet_hours: 'Quiet hours',
  locale: 'Language',
  render: 'Text',
  size: 'Size',
  provider: 'Provider',
  device: 'Device',
}

const stationOfStep: Readonly<Record<ExplainedStep['step'], StationName>> = {
  device: 'audience',
  owner: 'audience',
  target: 'audience',
  segment: 'audience',
  experiment: 'audience',
  recall: 'audience',
  holdout: 'audience',
  reachable: 'reachable',
  category: 'reachable',
  frequency_cap: 'cap',
  wave: 'quiet_hours',
  quiet_hours: 'quiet_hours',
  message: 'locale',
  page: 'provider',
  batch: 'provider',
  attempts: 'provider',
  outcome: 'provider',
  reports: 'device',
}

/** The station at which a push with this code ended. Every code that is not listed belongs to the station `provider`. */
const stationOfCode: Readonly<Record<string, StationName>> = {
  opted_out: 'reachable',
  invalidated: 'reachable',
  unsubscribed: 'reachable',
  deleted: 'audience',
  owner_changed: 'audience',
  silent_web: 'render',
  holdout: 'audience',
  empty_content: 'render',
  payload_too_large: 'size',
  frequency_cap: 'cap',
  quiet_hours: 'quiet_hours',
}

const stepNamed = <Name extends ExplainedStep['step']>(steps: readonly ExplainedStep[], name: Name): StepOf<Name> | undefined =>
  steps.find((step): step is StepOf<Name> => step.step === name)

/** Gives the nine stations of a trace, in their order. */
export function stationsOf(trace: Trace): Station[] {
  const ended = endedAt(trace)
  const hasEnded = stepNamed(trace.steps, 'outcome') !== undefined
  const stations = stationNames.map((name): Station => {
    const steps = trace.steps.filter((step) => belongsTo(step, name))
    const segment = name === 'audience' ? stepNamed(steps, 'segment') : undefined
    const hasWave = name === 'quiet_hours' && stepNamed(steps, 'wave') !== undefined
    return {
      name,
      label: hasWave ? 'Send time and quiet hours' : labels[name],
      result: ended === name ? 'stop' : beside(hasEnded, resultOf(name, steps, trace)),
      summary: headlineOf(name, steps),
      facts: steps.flatMap((step) => factsOf(name, step)),
      segment: segment ? { tree: treeOfLeaves(segment.leaves), changedSince: segment.changedSince } : null,
      attempts: name === 'provider' ? (stepNamed(steps, 'attempts')?.attempts ?? []) : [],
    }
  })
  const stop = stations.findIndex(({ result }) => result === 'stop')
  return stations.map((station, place) => ({ ...station, summary: summaryOf(station, stop !== -1 && place > stop) }))
}

/**
 * Gives the result of a station at which the push did not end. For a push with an outcome, `info` takes the place of `stop`, which follows from
 * present values: only the station at which it ended is red.
 */
const beside = (hasEnded: boolean, result: StationResult): StationResult => (hasEnded && result === 'stop' ? 'info' : result)

/** Says whether a step belongs to a station. The step `message` belongs to three stations: `locale`, `render` and `size`. */
const belongsTo = (step: ExplainedStep, name: StationName): boolean =>
  step.step === 'message' ? name === 'locale' || name === 'render' || name === 'size' : stationOfStep[step.step] === name

/** Gives the station at which the push ended, by its recorded outcome; undefined for a push that was sent, has no outcome or was never queued. */
function endedAt({ steps }: Trace): StationName | undefined {
  const end = stepNamed(steps, 'outcome')
  if (end === undefined || (end.outcome !== 'failed' && end.outcome !== 'skipped')) return undefined
  // `expired` has two reasons: the ttl ended, or the date of the send had passed in the zone, which the step of the wave says.
  if (end.code === 'expired' && stepNamed(steps, 'wave')?.expired === true) return 'quiet_hours'
  return stationOfCode[end.code ?? ''] ?? 'provider'
}

function resultOf(name: StationName, steps: readonly ExplainedStep[], trace: Trace): StationResult {
  const message = stepNamed(steps, 'message')
  if (message) return resultOfMessage(name, message)
  if (name === 'provider') return resultOfProvider(steps, trace)
  if (name === 'device') return steps.length > 0 ? 'pass' : trace.verdict === 'sent' ? 'info' : 'none'
  if (steps.some(({ result }) => result === 'stop')) return 'stop'
  if (steps.some(({ result }) => result === 'wait')) return 'wait'
  if (steps.some(({ result }) => result === 'pass')) return 'pass'
  return steps.length > 0 ? 'info' : 'none'
}

function resultOfMessage(name: StationName, { result, bytes, limit, dropped, truncated, fallback }: StepOf<'message'>): StationResult {
  if (name === 'locale') return fallback ? 'info' : 'pass'
  if (name === 'render') return result === 'stop' && bytes === null ? 'stop' : dropped.length > 0 ? 'info' : 'pass'
  if (bytes === null) return 'none'
  return bytes > limit ? 'stop' : truncated ? 'info' : 'pass'
}

function resultOfProvider(steps: readonly ExplainedStep[], { verdict }: Trace): StationResult {
  if (verdict === 'sent') return 'pass'
  if (verdict === 'in_flight' || verdict === 'retrying' || verdict === 'held' || verdict === 'waiting') return 'wait'
  // What remains was skipped or never queued, and nearly all ended elsewhere. When the fan-out passed the device by, or the send ended before, only
  // the step `page` says so: such a push is shown as ended at `provider`.
  return steps.some(({ step, result }) => step === 'page' && result === 'stop') ? 'stop' : 'none'
}

const absent: Readonly<Record<StationName, string>> = {
  audience: 'No data.',
  reachable: 'No data.',
  cap: 'No frequency cap applied to this campaign.',
  quiet_hours: 'Neither quiet hours nor a send time by time zone applied to this campaign.',
  locale: 'The text was not evaluated.',
  render: 'The text was not evaluated.',
  size: 'The size was not evaluated.',
  provider: 'It was never handed to the provider.',
  device: 'The device has nothing to report: nothing was sent to it.',
}

const plain: Readonly<Record<StationResult, string>> = {
  stop: 'Stopped here.',
  wait: 'Waiting here.',
  pass: 'Passed.',
  info: 'Had no effect.',
  none: '',
}

function summaryOf({ name, result, summary, segment }: Station, isBehindStop: boolean): string {
  if (result === 'none') return isBehindStop && name !== 'provider' ? 'Not reached.' : absent[name]
  if (name === 'device' && result === 'info')
    return 'It was sent. The device has reported nothing: it may be off, or its app reports nothing.'
  if (name === 'audience' && segment?.tree) {
    if (segment.tree.holds) return 'Currently in the segment.'
    return result === 'stop' ? 'Currently not in the segment.' : 'It was in the segment at send time and no longer is.'
  }
  return summary === '' ? plain[result] : summary
}

/** Gives the one line of a station that is closed on the page: that of the step that stopped the push or lets it wait, else of the last step with a line. */
function headlineOf(name: StationName, steps: readonly ExplainedStep[]): string {
  const said = (step: ExplainedStep | undefined): string =>
    step === undefined ? '' : (factsOf(name, step).find(({ headline }) => headline)?.headline ?? '')
  const decided = steps.find(({ result }) => result === 'stop') ?? steps.find(({ result }) => result === 'wait')
  return said(decided) || said(steps.findLast((step) => said(step) !== ''))
}

/** Gives the station that is open at first: the one where the push ended, else where it waits, else the provider. */
export const firstOpen = (stations: readonly Station[]): StationName =>
  (stations.find(({ result }) => result === 'stop') ?? stations.find(({ result }) => result === 'wait'))?.name ?? 'provider'

/** Writes a trace as one sentence for a ticket, which a colleague understands without this page. */
export function ticketOf(
  trace: Trace,
  of: { campaignId: string; campaign: string | null; externalId: string | null; lookedAt: string },
): string {
  const whose = of.externalId === null ? '' : ` of user ${of.externalId}`
  const device = `Device ${trace.subscriptionId}${trace.platform === null ? '' : ` (${trace.platform})`}${whose}`
  const campaign = `campaign ${of.campaign === null || of.campaign === '' ? '' : `“${of.campaign}” `}${of.campaignId}`
  return `${device}, ${campaign}: ${trace.sentence} (${trace.verdict === 'held' ? 'on hold' : trace.verdict.replace('_', ' ')}, ${trace.certainty}, as of ${of.lookedAt})`
}

const isFailureCode = (code: string): code is keyof typeof remedies => Object.hasOwn(remedies, code)

/**
 * Says what to do about the code with which a push ended or waits; null without a failure code, with an unknown platform, or when there is nothing to
 * do. `facts` and `attempts` are those of the station `provider`.
 */
export function remedyOfCode(facts: readonly Fact[], attempts: StepOf<'attempts'>['attempts'], platform: Platform | null): string | null {
  const last = attempts.at(-1)
  const code = facts.find((fact) => fact.code !== undefined)?.code ?? last?.code ?? null
  if (code === null || platform === null || !isFailureCode(code)) return null
  return remedyOf(providerOf[platform], code, last?.providerCode ?? null)
}
