import type { CircuitEnvironment } from '@herald/contracts/batch'
import type { ExplainedDevice } from '@herald/contracts/calls/audience'
import { isInSample, variantOf } from '@herald/contracts/experiment'
import type { ExplainedStep, StepOf } from '@herald/contracts/explain'
import type { FailureCode } from '@herald/contracts/outcome'
import type { Lane, Platform } from '@herald/contracts/platform'
import type { Segment } from '@herald/contracts/segment'
import type { Tags } from '@herald/contracts/text'
import { explainMessage } from './explain-message.ts'
import { placeInBatch, placeWithoutBatch, type OpenPlace } from './explain-push.ts'
import { capSteps, ownWave, quietSteps, waveSteps, type SendToExplain } from './explain-rules.ts'
import { asksFor, explainLeaves } from './explain-segment.ts'

export type KnownDevice = {
  id: string
  user_id: string
  platform: Platform
  apns_environment: CircuitEnvironment | null
  registered_at: Date
  opted_in: boolean
  app_version: string | null
  sdk_version: string | null
  os_version: string | null
  device_model: string | null
  browser: string | null
  standalone: boolean | null
  session_count: number
  last_session_at: Date | null
  created_at: Date
  last_active_at: Date
  invalidated_at: Date | null
  opted_out_at: Date | null
  invalidated_code: string | null
  invalidated_campaign_id: string | null
  told_at: Date | null
}
export type KnownUser = {
  id: string
  external_id: string | null
  tags: Tags
  language: string | null
  timezone: string | null
  country: string | null
  created_at: Date
  last_active_at: Date
  changed_at: Date | null
}
type Circuit = { platform: Platform; environment: CircuitEnvironment; code: FailureCode | null; since: Date; probeAt: Date | null }

/** What is known of one device now, and of its push. */
export type DeviceFacts = {
  subscriptionId: string
  device: KnownDevice | undefined
  user: KnownUser | undefined
  lastNotifiedAt: Date | null
  /** Whether the segment means it, and each of its leaves. */
  isMeant: boolean
  matched: boolean[]
  batch: (OpenPlace & { queuedAt: Date; lane: Lane }) | undefined
  /** Those of the app that are open. */
  circuits: readonly Circuit[]
  /** What counts against the frequency cap of its user. */
  claims: readonly { campaignId: string; at: Date }[]
}

/** Explains a device as far as audience knows: each step by itself, and where its push is. */
export function explainDevice(of: SendToExplain, facts: DeviceFacts): ExplainedDevice {
  const { subscriptionId, device, user, batch } = facts
  const { fanOut } = of
  const zone = user?.timezone ?? ''
  const waves = fanOut?.waves ?? fanOut?.past_waves ?? []
  const own = ownWave(waves, zone)
  const circuit = batch ? circuitMet(facts, batch.queuedFor) : null
  const push = batch
    ? placeInBatch(batch, { flow: fanOut?.flow ?? 'running', circuit, now: of.now })
    : fanOut
      ? placeWithoutBatch(fanOut, subscriptionId, { waves, own })
      : ({ is: 'nowhere' } as const)
  const steps: ExplainedStep[] = device
    ? [
        deviceStep(of, device),
        reachableStep(of, device),
        ...(user ? targetSteps(of, facts, device, user) : []),
        ...experimentSteps(of, device.user_id),
        ...waveSteps(of, { waves, own, zone, isAhead: push.is === 'ahead' || push.is === 'nowhere' }),
        ...quietSteps(of, zone, waves[own]),
        ...capSteps(of, facts.claims),
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
    owner: user ? { id: user.id, externalId: user.external_id } : null,
    steps,
    push,
  }
}

function deviceStep({ fanOut, startedAt }: SendToExplain, { id, created_at: createdAt }: KnownDevice): StepOf<'device'> {
  const inBounds = startedAt ? createdAt <= startedAt && (!fanOut || fanOut.bound_id === '' || id <= fanOut.bound_id) : null
  const result = inBounds === false ? 'stop' : 'pass'
  return { step: 'device', result, basis: 'frozen', createdAt: createdAt.toISOString(), inBounds, deleted: false }
}

/** Since when a device cannot be reached counts: what came after the send has decided nothing, and what came before it is certain. */
function reachableStep({ fanOut, startedAt }: SendToExplain, device: KnownDevice): StepOf<'reachable'> {
  const { opted_in: optedIn, invalidated_at: invalidatedAt } = device
  const optedOutAt = optedIn ? null : device.opted_out_at
  const moments = [optedOutAt, invalidatedAt].filter((at) => at !== null).toSorted((one, other) => one.getTime() - other.getTime())
  // Of a device that opted out before that was noted it is not known since when.
  const since = optedIn || optedOutAt ? moments[0] : undefined
  const isReachable = optedIn && invalidatedAt === null
  const isLater = since !== undefined && fanOut?.settled_at != null && since > fanOut.settled_at
  const isBefore = since !== undefined && startedAt !== null && since <= startedAt
  return {
    step: 'reachable',
    result: isReachable ? 'pass' : isLater ? 'info' : 'stop',
    basis: isBefore ? 'frozen' : 'now',
    optedIn,
    optedOutAt: optedOutAt?.toISOString() ?? null,
    invalidatedAt: invalidatedAt?.toISOString() ?? null,
    invalidatedBy:
      invalidatedAt !== null && device.invalidated_code !== null
        ? { code: device.invalidated_code, campaignId: device.invalidated_campaign_id }
        : null,
    registeredAt: device.registered_at.toISOString(),
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
    // Whose the device is may have changed since.
    case 'userIds':
      return listed('userIds', target.userIds.includes(user.id), 'now')
    case 'externalIds':
      return listed('externalIds', user.external_id !== null && target.externalIds.includes(user.external_id), 'now')
    case 'segment': {
      if (!of.segment) return []
      const result = facts.isMeant ? 'pass' : 'stop'
      const leaves = explainLeaves(of.segment, target.segment, valuesOf(device, user, facts.lastNotifiedAt), facts.matched)
      return [{ step: 'segment', result, basis: 'now', changedSince: hasChanged(of, of.segment, facts, device, user), leaves }]
    }
  }
}

const valuesOf = (device: KnownDevice, user: KnownUser, lastNotifiedAt: Date | null) => ({
  device: {
    platform: device.platform,
    browser: device.browser,
    standalone: device.standalone,
    appVersion: device.app_version,
    sdkVersion: device.sdk_version,
    osVersion: device.os_version,
    deviceModel: device.device_model,
    sessionCount: device.session_count,
    lastSessionAt: device.last_session_at,
    createdAt: device.created_at,
    lastActiveAt: device.last_active_at,
    lastNotifiedAt,
  },
  user: {
    userId: user.id,
    externalId: user.external_id,
    language: user.language,
    timezone: user.timezone,
    country: user.country,
    createdAt: user.created_at,
    lastActiveAt: user.last_active_at,
  },
  tags: user.tags,
})

/** Whether the values may be others than when the device was looked at: when it was queued, or else since the send began. */
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
  const changes = [user.changed_at, user.created_at, device.registered_at, device.told_at]
  if (asks.sessions) changes.push(device.last_active_at, user.last_active_at)
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

/** The open circuit that a device meets. The environment of a device that was never accepted by the other than the credentials' is not known here. */
function circuitMet({ device, circuits }: DeviceFacts, queuedFor: string) {
  if (!device || device.user_id !== queuedFor) return null
  const { platform, apns_environment: environment } = device
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
        externalId: user.external_id,
        language: user.language,
        timezone: user.timezone,
        country: user.country,
        createdAt: user.created_at.toISOString(),
      },
      tags: user.tags,
      subscription: {
        id: device.id,
        platform: device.platform,
        appVersion: device.app_version,
        deviceModel: device.device_model,
        browser: device.browser,
      },
      timezone: user.timezone ?? settings.defaultTimezone,
    },
    now,
  })
