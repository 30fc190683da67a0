import type { ExplainedLeaf, ExplainedStep, StepOf, WaitingFor } from '@herald/contracts/explain'
import type { Platform } from '@herald/contracts/platform'
import { parseSegment, type SegmentNode } from '@herald/contracts/segment'
import { spanOf } from '@herald/contracts/span-of'

/** Finds the step of a trace that has this name. */
export const stepOf = <Name extends ExplainedStep['step']>(steps: readonly ExplainedStep[], name: Name): StepOf<Name> | undefined =>
  steps.find((step): step is StepOf<Name> => step.step === name)

const inBrackets = (text: string | null): string => (text === null || text === '' ? '' : ` (${text})`)

/** Says in one sentence how a push ended. */
export function sentenceOfEnd(
  steps: readonly ExplainedStep[],
  { outcome, code, providerCode, attempts, settledAt }: StepOf<'outcome'>,
  inbox = false,
): string {
  if (outcome === 'past_retention')
    return 'The outcome is no longer stored. Current data shows nothing that would have kept the push from being sent.'
  const tries = `${attempts} ${attempts === 1 ? 'try' : 'tries'}`
  if (outcome === 'sent') return `Sent at ${settledAt}${(attempts ?? 1) > 1 ? `, after ${tries}` : ''}${askedTo(stepOf(steps, 'recall'))}.`
  if (outcome === 'failed') return `Failed at ${settledAt} after ${tries}: ${code}${inBrackets(providerCode)}.`
  return `Skipped at ${settledAt}: ${whySkipped(steps, code ?? '', inbox)}.`
}

const askedTo = (recall: StepOf<'recall'> | undefined): string =>
  recall
    ? `: the device was asked to ${recall.mode === 'dismiss' ? 'remove' : 'show another text in place of'} the notification of ${recall.of}`
    : ''

function whySkipped(steps: readonly ExplainedStep[], code: string, inbox: boolean): string {
  const reachable = stepOf(steps, 'reachable')
  const cap = stepOf(steps, 'frequency_cap')
  const quiet = stepOf(steps, 'quiet_hours')
  const wave = stepOf(steps, 'wave')
  const category = stepOf(steps, 'category')
  switch (code) {
    case 'opted_out':
      return `the device was opted out${reachable?.optedOutAt ? ` at ${reachable.optedOutAt}` : ''}, ${inbox ? 'and has the send in its inbox' : 'after its push was queued'}`
    case 'invalidated':
      return `its token was found invalid${byWhat(reachable)}, after its push was queued`
    case 'deleted':
      return 'the device was deleted after its push was queued'
    case 'owner_changed':
      return 'the device belongs to another user than when its push was queued'
    case 'silent_web':
      return 'the push is silent, and a browser must show something for each push'
    case 'holdout':
      return 'the user is in the control group'
    case 'frequency_cap':
      return cap
        ? `the user had had as many messages as the cap allows, ${cap.max} in ${spanOf(cap.windowSeconds)}`
        : 'the frequency cap was used up'
    case 'quiet_hours':
      return quiet ? `it was in the quiet hours from ${quiet.start} to ${quiet.end} in ${quiet.zone}` : 'the user was in quiet hours'
    case 'unsubscribed':
      return `the user is not subscribed to the category${category ? ` ${category.category}${category.default === 'out' ? ' (opt-in)' : ''}` : ''}`
    case 'expired':
      return wave?.expired
        ? `the date and time of the send had passed in ${wave.zone} when it was sent`
        : 'its time to live ended before it was sent'
    case 'empty_content':
      return 'title and text are both empty after personalization'
    case 'cancelled':
      return 'the send was cancelled before it was sent'
    default:
      return code
  }
}

const byWhat = (reachable: StepOf<'reachable'> | undefined): string => {
  if (!reachable?.invalidatedAt) return ''
  const { invalidatedAt, invalidatedBy: by } = reachable
  return ` at ${invalidatedAt}${by ? ` because of ${by.code}${by.campaignId ? ` in campaign ${by.campaignId}` : ''}` : ''}`
}

/** Says in one sentence what a push without an outcome waits for. */
export function sentenceOfWaiting(waitingFor: WaitingFor, steps: readonly ExplainedStep[]): string {
  const tries = stepOf(steps, 'batch')?.tries ?? 0
  switch (waitingFor.kind) {
    case 'schedule':
      return `It waits for the campaign to begin${waitingFor.at ? `, at ${waitingFor.at}` : beginsAfter(stepOf(steps, 'recall'))}.`
    case 'fan_out':
      return `It has not been processed yet: the send has checked ${waitingFor.scanned} devices so far.`
    case 'window':
      return stepOf(steps, 'batch')
        ? 'It is queued and waits for its turn.'
        : 'It has not been processed yet: the app’s other batches come first.'
    case 'wave':
      return `It waits for time-zone batch ${waitingFor.wave} of ${waitingFor.of}, at ${waitingFor.at}.`
    case 'paused':
      return `The campaign is paused${waitingFor.since ? ` since ${waitingFor.since}` : ''}${waitingFor.at ? ` and is cancelled at ${waitingFor.at} unless it is resumed` : ''}.`
    case 'circuit':
      return `It has been on hold since ${waitingFor.since}: pushes to ${providerNames[waitingFor.platform]} fail${waitingFor.code ? ` with ${waitingFor.code}` : ''}${waitingFor.probeAt ? `. The next retry is at ${waitingFor.probeAt}` : ''}.`
    case 'quota':
      return `It waits for its turn at ${waitingFor.at}: the provider takes fewer pushes a second with these credentials than are queued.`
    case 'rate':
      return `It waits for its turn${waitingFor.at ? ` at ${waitingFor.at}` : ''}: the send hands over at most ${waitingFor.perMinute} pushes a minute.`
    case 'retry':
      return `It is tried again at ${waitingFor.at}: ${waitingFor.code === null ? `try ${tries} got no answer` : `try ${tries} was answered ${waitingFor.code}`}${inBrackets(waitingFor.providerCode)}.`
    case 'provider':
      return 'It is being handed to the provider.'
  }
}

const providerNames: Record<Platform, string> = { ios: 'APNs', android: 'FCM', web: 'the browser’s push service' }

const beginsAfter = (recall: StepOf<'recall'> | undefined): string =>
  recall ? `, once every push of the campaign ${recall.of} has an outcome` : ', which is a draft'

/** Says in one sentence why no push was made for a device, from the step that stopped it. */
export function sentenceOfStop(step: ExplainedStep, definition: unknown, startedAt: string | null): string {
  switch (step.step) {
    case 'device':
      return `The device was registered at ${step.createdAt}, after the send had begun at ${startedAt}.`
    case 'reachable':
      return step.optedIn
        ? `The device was not reachable: its token was found invalid${byWhat(step)}.`
        : `The device was not reachable: it is opted out${step.optedOutAt ? ` since ${step.optedOutAt}` : ''}.`
    case 'target':
      if (step.kind === 'activity') return 'The device has no token for the Live Activity of this send.'
      return `Not on the list of recipients: the send names its ${wordsOf[step.kind]}.`
    case 'segment':
      return `Not in the segment${whyNotMeant(step, definition)}.`
    case 'experiment':
      return step.remainderOf
        ? `The user was in the test group of the A/B test ${step.remainderOf}, and the winner goes to the others only.`
        : `The user is outside the test group of the A/B test, which is ${step.sampleRate * 100} % of the audience.`
    case 'recall':
      return step.sent
        ? `The campaign ${step.of} was already opened on this device, so the recall leaves it out.`
        : `The campaign ${step.of} was not sent to this device, so there is nothing to ${step.mode === 'dismiss' ? 'remove' : 'replace'}.`
    default:
      return 'No push was made for the device.'
  }
}

const wordsOf: Record<Exclude<StepOf<'target'>['kind'], 'activity'>, string> = {
  externalIds: 'users by their external ids',
  userIds: 'users by their ids',
  subscriptionIds: 'devices by their ids',
  all: 'devices',
}

function whyNotMeant({ leaves }: StepOf<'segment'>, definition: unknown): string {
  const parsed = parseSegment(definition, 'segment')
  if (!parsed.ok || parsed.segment.is === 'everyone') return ''
  const found = decidingLeaf(parsed.segment, new Map(leaves.map((leaf) => [leaf.path, leaf])))
  return found ? `: ${textOf(found.leaf, found.wanted)}` : ''
}

type Leaves = ReadonlyMap<string, ExplainedLeaf>

function holds(node: SegmentNode, leaves: Leaves): boolean {
  switch (node.is) {
    case 'not':
      return !holds(node.node, leaves)
    case 'and':
      return node.nodes.every((one) => holds(one, leaves))
    case 'or':
      return node.nodes.some((one) => holds(one, leaves))
    case 'leaf':
      return leaves.get(node.path)?.matched === true
  }
}

/**
 * Finds the first leaf (a single condition of the segment) that keeps `node` from coming out as `wanted`. The `wanted` of the result says whether
 * that leaf should have matched.
 */
function decidingLeaf(node: SegmentNode, leaves: Leaves, wanted = true): { leaf: ExplainedLeaf; wanted: boolean } | undefined {
  if (node.is === 'not') return decidingLeaf(node.node, leaves, !wanted)
  if (node.is !== 'leaf') {
    const wrong = node.nodes.find((one) => holds(one, leaves) !== wanted)
    return wrong && decidingLeaf(wrong, leaves, wanted)
  }
  const leaf = leaves.get(node.path)
  return leaf && { leaf, wanted }
}

function textOf({ field, op, wanted: value, actual }: ExplainedLeaf, wanted: boolean): string {
  const has = actual === null ? `${field} is not set` : `${field} is ${String(actual)}`
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
  const asked = op === 'exists' ? `${value === true ? 'any' : 'no'} value` : `${askedBy[op] ?? ''}${text}`
  return `${has} (the segment ${wanted ? 'wants' : 'excludes'} ${asked})`
}

/** The words before the wanted value, by operator. */
const askedBy: Readonly<Record<string, string>> = {
  ...{ ne: 'not ', in: 'one of ', nin: 'none of ', gt: 'above ', gte: 'at least ', lt: 'below ', lte: 'at most ' },
  ...{ contains: 'a text with ', startsWith: 'a text beginning with ' },
}
