import type { CircuitEnvironment } from '@herald/contracts/batch'
import type { ExplainedDevice } from '@herald/contracts/calls/audience'
import type { Choices } from '@herald/contracts/category'
import { isInSample, variantOf } from '@herald/contracts/experiment'
import type { ExplainedStep, StepOf } from '@herald/contracts/explain'
import type { FailureCode } from '@herald/contracts/outcome'
import { reachesOptedOut } from '@herald/contracts/live-activity'
import type { Lane, Platform } from '@herald/contracts/platform'
import type { Segment } from '@herald/contracts/segment'
import type { Tags } from '@herald/contracts/text'
import { explainMessage } from './explain-message.ts'
import { placeInBatch, placeWithoutBatch, type OpenPlace } from './explain-push.ts'
import { capSteps, categorySteps, holdoutSteps, ownWave, planOwnWave, quietSteps, waveSteps, type SendToExplain } from './explain-rules.ts'
import { asksFor, explainLeaves } from './explain-segment.ts'

export type KnownDevice = {
  id: string
  userId: string
  platform: Platform
  apnsEnvironment: CircuitEnvironment | null
  registeredAt: Date
  optedIn: boolean
  appVersion: string | null
  sdkVersion: string | null
  osVersion: string | null
  deviceModel: string | null
  browser: string | null
  standalone: boolean | null
  sessionCount: number
  lastSessionAt: Date | null
  createdAt: Date
  lastActiveAt: Date
  invalidatedAt: Date | null
  optedOutAt: Date | null
  invalidatedCode: string | null
  invalidatedCampaignId: string | null
  toldAt: Date | null
}
export type KnownUser = {
  id: string
  externalId: string | null
  tags: Tags
  language: string | null
  timezone: string | null
  country: string | null
  createdAt: Date
  lastActiveAt: Date
  changedAt: Date | null
  preferences: Choices | null
}
type Circuit = { platform: Platform; environment: CircuitEnvironment; code: FailureCode | null; since: Date; probeAt: Date | null }

/** What audience knows now about one device and its push, as far as explain needs it. */
export type DeviceFacts = {
  subscriptionId: string
  device: KnownDevice | undefined
  user: KnownUser | undefined
  lastNotifiedAt: Date | null
  /** `isMeant`: whether the device matches the segment. `matched`: whether it matches each leaf (single condition) of the segment. */
  isMeant: boolean
  matched: boolean[]
  batch: (OpenPlace & { queuedAt: Date; lane: Lane }) | undefined
  circuits: readonly Circuit[]
  /** The campaigns that count against the frequency cap of the device's owner. */
  claims: readonly { campaignId: string; at: Date }[]
  /** Whether the device has a token for the Live Activity of the send. */
  hasActivity: boolean
}

/** Explains why a device got a send or did not, as far as audience knows: the steps that decided, and where the push is. */
export function explainDevice(of: SendToExplain, facts: DeviceFacts): ExplainedDevice {
  const { subscriptionId, device, user, batch } = facts
  const { fanOut } = of
  const zone = user?.timezone ?? ''
  const waves = fanOut?.waves ?? fanOut?.pastWaves ?? []
  const own = ownWave(waves, zone)
  const wave = waves[own] ?? planOwnWave(of, zone)
  const place = waves[own] ? { no: own + 1, of: waves.length } : { no: null, of: null }
  const circuit = batch ? circuitMet(facts, batch.queuedFor) : null
  const push = batch
    ? placeInBatch(batch, { flow: fanOut?.flow ?? 'running', circuit, now: of.now })
    : fanOut
      ? placeWithoutBatch(fanOut, subscriptionId, { waves, own, isRecall: of.target.kind === 'reached' })
      : ({ is: 'nowhere' } as const)
  const steps: ExplainedStep[] = device
    ? [
        deviceStep(of, device),
        reachableStep(of, device),
        ...(user ? targetSteps(of, facts, device, user) : []),
        ...activitySteps(of, facts),
        ...experimentSteps(of, device.userId),
        ...holdoutSteps(of, device.userId),
        ...(user ? categorySteps(of, user.preferences ?? {}) : []),
        ...waveSteps(of, { wave, ...place, zone, isAhead: push.is === 'ahead' || push.is === 'nowhere' }),
        ...quietSteps(of, zone, wave),
        ...capSteps(of, facts.claims, wave),
      ]
    : [{ step: 'device', result: 'info', basis: 'now', createdAt: null, inBounds: null, deleted: true }]
  if (fanOut && push.is !== 'nowhere') {
    const cut = push.is === 'open' || push.is === 'past'
    steps.push({ step: 'page', result: cut ? 'pass' : push.is === 'passed' ? 'stop' : 'wait', basis: 'recorded', cut })
  }
  if (batch) steps.push(batchStep(batch, circuit))
  if (device && user) steps.push(messageStep(of, device, user))
  return {
    subscriptionId,
    platform: device?.platform ?? null,
    owner: user ? { id: user.id, externalId: user.externalId } : null,
    steps,
    push,
  }
}

function deviceStep({ fanOut, startedAt }: SendToExplain, { id, createdAt }: KnownDevice): StepOf<'device'> {
  const inBounds = startedAt ? createdAt <= startedAt && (!fanOut || fanOut.boundId === '' || id <= fanOut.boundId) : null
  const result = inBounds === false ? 'stop' : 'pass'
  return { step: 'device', result, basis: 'frozen', createdAt: createdAt.toISOString(), inBounds, deleted: false }
}

/**
 * Says whether the device is reachable. Becoming unreachable after the send was settled did not matter to it (`info`); becoming so before the send
 * began certainly kept the push from the device (`frozen`).
 */
function reachableStep({ fanOut, startedAt, send }: SendToExplain, device: KnownDevice): StepOf<'reachable'> {
  const { optedIn, invalidatedAt } = device
  const optedOutAt = optedIn ? null : device.optedOutAt
  const moments = [optedOutAt, invalidatedAt].filter((at) => at !== null).toSorted((one, other) => one.getTime() - other.getTime())
  // `optedOutAt` is null for an opt-out that was imported or is older than the column. Then it is unknown since when the device is
  // unreachable.
  const since = optedIn || optedOutAt ? moments[0] : undefined
  const isReachable = (optedIn || reachesOptedOut(send.activity)) && invalidatedAt === null
  const isLater = since !== undefined && fanOut?.settledAt != null && since > fanOut.settledAt
  const isBefore = since !== undefined && startedAt !== null && since <= startedAt
  return {
    step: 'reachable',
    result: isReachable ? 'pass' : isLater ? 'info' : 'stop',
    basis: isBefore ? 'frozen' : 'now',
    optedIn,
    optedOutAt: optedOutAt?.toISOString() ?? null,
    invalidatedAt: invalidatedAt?.toISOString() ?? null,
    invalidatedBy:
      invalidatedAt !== null && device.invalidatedCode !== null
        ? { code: device.invalidatedCode, campaignId: device.invalidatedCampaignId }
        : null,
    registeredAt: device.registeredAt.toISOString(),
  }
}

function targetSteps(of: SendToExplain, facts: DeviceFacts, device: KnownDevice, user: KnownUser): ExplainedStep[] {
  const { target, begins } = of
  const listed = (kind: StepOf<'target'>['kind'], isListed: boolean, basis: StepOf<'target'>['basis']): ExplainedStep[] => [
    { step: 'target', result: isListed ? 'pass' : 'stop', basis: begins ? 'now' : basis, kind, listed: isListed },
  ]
  switch (target.kind) {
    case 'all':
      return listed('all', true, 'frozen')
    case 'subscriptionIds':
      return listed('subscriptionIds', target.subscriptionIds.includes(device.id), 'frozen')
    // The basis is `now`: when the send was made, the device may have belonged to another user.
    case 'userIds':
      return listed('userIds', target.userIds.includes(user.id), 'now')
    case 'externalIds':
      return listed('externalIds', user.externalId !== null && target.externalIds.includes(user.externalId), 'now')
    // Only the tracker knows to whom a campaign was sent, and the gateway asks it.
    case 'reached':
      return []
    case 'segment': {
      if (!of.segment) return []
      const result = facts.isMeant ? 'pass' : 'stop'
      const leaves = explainLeaves(of.segment, target.segment, valuesOf(device, user, facts.lastNotifiedAt), facts.matched)
      return [{ step: 'segment', result, basis: 'now', changedSince: hasChanged(of, of.segment, facts, device, user), leaves }]
    }
  }
}

/** Says whether the device has a token for the Live Activity. The basis is `now`, since tokens come and go. */
const activitySteps = ({ send: { activity } }: SendToExplain, { hasActivity }: DeviceFacts): ExplainedStep[] =>
  activity ? [{ step: 'target', result: hasActivity ? 'pass' : 'stop', basis: 'now', kind: 'activity', listed: hasActivity }] : []

const valuesOf = (device: KnownDevice, user: KnownUser, lastNotifiedAt: Date | null) => {
  const { id: userId, tags, preferences: _, ...fields } = user
  return { device: { ...device, lastNotifiedAt }, user: { ...fields, userId }, tags }
}

/**
 * Whether values that the segment asks for may have changed since the send evaluated it for the device: since the push was queued or, if there is no
 * push, since the send began.
 */
function hasChanged(
  { startedAt }: SendToExplain,
  segment: Segment,
  { batch, lastNotifiedAt }: DeviceFacts,
  device: KnownDevice,
  user: KnownUser,
): boolean {
  const since = batch?.queuedAt ?? startedAt
  if (!since) return false
  const asks = asksFor(segment)
  const changes = [user.changedAt, user.createdAt, device.registeredAt, device.toldAt]
  if (asks.sessions) changes.push(device.lastActiveAt, user.lastActiveAt)
  if (asks.lastNotified) changes.push(lastNotifiedAt)
  return changes.some((at) => at !== null && at > since)
}

function experimentSteps({ send: { campaignId, experiment, remainder } }: SendToExplain, userId: string): ExplainedStep[] {
  if (remainder) {
    const inSample = isInSample(remainder.sampleRate, remainder.of, userId)
    const { of: remainderOf, sampleRate } = remainder
    return [{ step: 'experiment', result: inSample ? 'stop' : 'pass', basis: 'frozen', inSample, sampleRate, variant: null, remainderOf }]
  }
  if (!experiment) return []
  const { sampleRate, variants } = experiment
  const inSample = isInSample(sampleRate, campaignId, userId)
  const variant = inSample ? variantOf(variants, campaignId, userId).id : null
  return [{ step: 'experiment', result: inSample ? 'pass' : 'stop', basis: 'frozen', inSample, sampleRate, variant, remainderOf: null }]
}

/**
 * Gives the open circuit that holds the push to a device. For an iOS device without a remembered environment it gives any open iOS circuit, because
 * audience does not know the environment of the credentials.
 */
function circuitMet({ device, circuits }: DeviceFacts, queuedFor: string) {
  if (!device || device.userId !== queuedFor) return null
  const { platform, apnsEnvironment: environment } = device
  const met = circuits.find(
    (one) => one.platform === platform && (environment === null || one.environment === '' || one.environment === environment),
  )
  return met
    ? {
        kind: 'circuit' as const,
        platform,
        environment: met.environment,
        code: met.code,
        since: met.since.toISOString(),
        probeAt: met.probeAt?.toISOString() ?? null,
        at: null,
      }
    : null
}

const batchStep = (
  { queuedAt, lane, notBefore, tries, leaseUntil, isLeased }: NonNullable<DeviceFacts['batch']>,
  circuit: ReturnType<typeof circuitMet>,
): StepOf<'batch'> => ({
  step: 'batch',
  result: 'wait',
  basis: 'recorded',
  queuedAt: queuedAt.toISOString(),
  lane,
  notBefore: notBefore?.toISOString() ?? null,
  tries,
  leasedUntil: isLeased && leaseUntil ? leaseUntil.toISOString() : null,
  circuit: circuit && { code: circuit.code, since: circuit.since, probeAt: circuit.probeAt },
})

const messageStep = ({ send, settings, now }: SendToExplain, device: KnownDevice, user: KnownUser): StepOf<'message'> =>
  explainMessage({
    send,
    platform: device.platform,
    userId: user.id,
    language: user.language,
    values: {
      user: {
        id: user.id,
        externalId: user.externalId,
        language: user.language,
        timezone: user.timezone,
        country: user.country,
        createdAt: user.createdAt.toISOString(),
      },
      tags: user.tags,
      subscription: {
        id: device.id,
        platform: device.platform,
        appVersion: device.appVersion,
        deviceModel: device.deviceModel,
        browser: device.browser,
      },
      timezone: user.timezone ?? settings.defaultTimezone,
    },
    now,
  })
