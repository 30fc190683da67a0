import { pageSize } from '@herald/contracts/batch'
import type { ExplainedDevice } from '@herald/contracts/calls/audience'
import type { WaitingFor } from '@herald/contracts/explain'
import type { Attempt } from '@herald/contracts/outcome'
import type { Wave } from './waves.ts'

type Push = ExplainedDevice['push']

export type FanOutSoFar = {
  state: 'running' | 'waiting' | 'between_waves' | 'fanned_out' | 'failed'
  flow: 'running' | 'paused' | 'cancelled'
  /** The greatest device id in the send. Empty when the devices of the send were found at once, without pages. */
  boundId: string
  cursor: string
  page: number
  wave: number
  /** The rate of the send; null for none. */
  perMinute: number | null
}

/** The answer for a push of a paused send. The times are null here because only campaigns knows since when and until when the send is paused. */
const paused: WaitingFor = { kind: 'paused', since: null, at: null }

/**
 * Says where a push is that no unfinished batch holds. `ahead`: the fan-out comes to the device later. `past`: it has, is complete or had no pages.
 * `passed`: cancelled or failed before. `own`: the wave of the user's zone.
 */
export function placeWithoutBatch(
  fanOut: FanOutSoFar,
  id: string,
  { waves, own, isRecall = false }: { waves: readonly Wave[]; own: number; isRecall?: boolean },
): Push {
  const { state, flow } = fanOut
  // The pages of a recall follow the ledger of another campaign, not the ids of devices.
  if (isRecall && state !== 'fanned_out' && state !== 'failed' && flow !== 'cancelled')
    return { is: 'ahead', waitingFor: flow === 'paused' ? paused : { kind: 'fan_out', scanned: 0, of: null } }
  const isCut = (wave: number) => fanOut.wave > wave || (fanOut.wave === wave && fanOut.cursor >= id)
  const last = Math.max(0, waves.length - 1)
  if (flow === 'cancelled' || state === 'failed') return { is: fanOut.boundId === '' || isCut(last) ? 'past' : 'passed' }
  if (state === 'fanned_out') return { is: 'past' }
  // When the pages of the wave of the user's time zone have come past the device, only the last wave can still take it.
  const next = !isCut(own) ? own : last
  if (isCut(next)) return { is: 'past' }
  if (flow === 'paused') return { is: 'ahead', waitingFor: paused }
  const wave = waves[next]
  if (wave && (next > fanOut.wave || state === 'between_waves'))
    return { is: 'ahead', waitingFor: { kind: 'wave', at: wave.at, wave: next + 1, of: waves.length } }
  if (fanOut.perMinute !== null) return { is: 'ahead', waitingFor: { kind: 'rate', at: null, perMinute: fanOut.perMinute } }
  if (state === 'waiting') return { is: 'ahead', waitingFor: { kind: 'window' } }
  return { is: 'ahead', waitingFor: { kind: 'fan_out', scanned: waves.length > 0 ? 0 : (fanOut.page - 1) * pageSize, of: null } }
}

export type OpenPlace = {
  no: number
  queuedFor: string
  notBefore: Date | null
  /** Until when the batch waits for the turn of its credentials. */
  turnAt: Date | null
  /** The rate of a send whose batch waits for its turn; null for another batch. */
  perMinute: number | null
  tries: number
  leaseUntil: Date | null
  isLeased: boolean
  code: string | null
  providerCode: string | null
  trail: Attempt[] | null
  isDecided: boolean
}
type Closed = Extract<WaitingFor, { kind: 'circuit' }>

/** Says what a push in an unfinished batch waits for. `circuit`: the open circuit of its device; null when none is open. */
export function placeInBatch(
  batch: OpenPlace,
  { flow, circuit, now }: { flow: FanOutSoFar['flow']; circuit: Closed | null; now: Date },
): Push {
  const { no, queuedFor, notBefore, turnAt, perMinute, leaseUntil, isLeased, tries, code, providerCode } = batch
  const open = { is: 'open', no, queuedFor, trail: batch.trail ?? [] } as const
  if (isLeased) return { ...open, verdict: 'in_flight', waitingFor: { kind: 'provider', at: leaseUntil?.toISOString() ?? null } }
  if (batch.isDecided || flow === 'cancelled') return { ...open, verdict: 'in_flight', waitingFor: { kind: 'window' } }
  if (flow === 'paused') return { ...open, verdict: 'waiting', waitingFor: paused }
  if (circuit) return { ...open, verdict: 'held', waitingFor: { ...circuit, at: later(notBefore, now) } }
  if (turnAt && turnAt > now) return { ...open, verdict: 'waiting', waitingFor: { kind: 'quota', at: turnAt.toISOString() } }
  if (perMinute !== null && notBefore && notBefore > now)
    return { ...open, verdict: 'waiting', waitingFor: { kind: 'rate', at: notBefore.toISOString(), perMinute } }
  if (notBefore && (tries > 0 || code !== null))
    return { ...open, verdict: 'retrying', waitingFor: { kind: 'retry', at: notBefore.toISOString(), code, providerCode } }
  return { ...open, verdict: 'in_flight', waitingFor: { kind: 'window' } }
}

const later = (at: Date | null, now: Date): string | null => (at && at > now ? at.toISOString() : null)
