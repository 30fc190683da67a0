import { pageSize } from '@herald/contracts/batch'
import type { ExplainedDevice } from '@herald/contracts/calls/audience'
import type { WaitingFor } from '@herald/contracts/explain'
import type { Attempt } from '@herald/contracts/outcome'
import type { Wave } from './waves.ts'

type Push = ExplainedDevice['push']

/** What of a fan-out's row says how far it has come. */
export type FanOutSoFar = {
  state: 'running' | 'waiting' | 'between_waves' | 'fanned_out' | 'failed'
  flow: 'running' | 'paused' | 'cancelled'
  /** Empty: its devices were found at once, without pages. */
  bound_id: string
  cursor: string
  page: number
  wave: number
}

/** What it waits for while its send is paused; since when and until when is campaigns' to say. */
const paused: WaitingFor = { kind: 'paused', since: null, at: null }

/** Where the push of a device is that is in no batch: still to come, or passed over. `own`: the wave of its user's zone, by its place among `waves`. */
export function placeWithoutBatch(fanOut: FanOutSoFar, id: string, { waves, own }: { waves: readonly Wave[]; own: number }): Push {
  const { state, flow } = fanOut
  const isCut = (wave: number) => fanOut.wave > wave || (fanOut.wave === wave && fanOut.cursor >= id)
  const last = Math.max(0, waves.length - 1)
  if (flow === 'cancelled' || state === 'failed') return { is: fanOut.bound_id === '' || isCut(last) ? 'past' : 'passed' }
  if (state === 'fanned_out') return { is: 'past' }
  // Whom no wave has taken so far is taken by the last.
  const next = !isCut(own) ? own : last
  if (isCut(next)) return { is: 'past' }
  if (flow === 'paused') return { is: 'ahead', waitingFor: paused }
  const wave = waves[next]
  if (wave && (next > fanOut.wave || state === 'between_waves'))
    return { is: 'ahead', waitingFor: { kind: 'wave', at: wave.at, wave: next + 1, of: waves.length } }
  if (state === 'waiting') return { is: 'ahead', waitingFor: { kind: 'window' } }
  return { is: 'ahead', waitingFor: { kind: 'fan_out', scanned: waves.length > 0 ? 0 : (fanOut.page - 1) * pageSize, of: null } }
}

/** A batch that is not done, and the circuits that are open on its way. */
export type OpenPlace = {
  no: number
  queuedFor: string
  notBefore: Date | null
  tries: number
  leaseUntil: Date | null
  isLeased: boolean
  code: string | null
  providerCode: string | null
  trail: Attempt[] | null
  isDecided: boolean
}
type Closed = Extract<WaitingFor, { kind: 'circuit' }>

/** Where the push of a device is that is in a batch. `circuit`: the open one that it meets. */
export function placeInBatch(
  batch: OpenPlace,
  { flow, circuit, now }: { flow: FanOutSoFar['flow']; circuit: Closed | null; now: Date },
): Push {
  const { no, queuedFor, notBefore, leaseUntil, isLeased, tries, code, providerCode } = batch
  const open = { is: 'open', no, queuedFor, trail: batch.trail ?? [] } as const
  if (isLeased) return { ...open, verdict: 'in_flight', waitingFor: { kind: 'provider', at: leaseUntil?.toISOString() ?? null } }
  if (batch.isDecided || flow === 'cancelled') return { ...open, verdict: 'in_flight', waitingFor: { kind: 'window' } }
  if (flow === 'paused') return { ...open, verdict: 'waiting', waitingFor: paused }
  if (circuit) return { ...open, verdict: 'held', waitingFor: { ...circuit, at: later(notBefore, now) } }
  if (notBefore && (tries > 0 || code !== null))
    return { ...open, verdict: 'retrying', waitingFor: { kind: 'retry', at: notBefore.toISOString(), code, providerCode } }
  return { ...open, verdict: 'in_flight', waitingFor: { kind: 'window' } }
}

const later = (at: Date | null, now: Date): string | null => (at && at > now ? at.toISOString() : null)
