import type { FrozenSmallSend } from '@herald/contracts/calls/audience'
import type { FlowChange } from '@herald/contracts/campaign'
import type { Fault } from '@herald/contracts/fault'
import type { NotQueued } from '@herald/contracts/test-send'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { Reads } from '@herald/service/postgres'
import type { Measures } from './measures.ts'
import type { NewCampaign, Started } from './store/campaigns.ts'
import type { Db, Tables } from './store/tables.ts'

export type Several = { campaignIds: string[] }

export type Flows = { flows: (FlowChange | null)[] }

/** `notQueued`: the devices that a test names and cannot reach. The answer to the request lists them, and so does the answer to a replay. */
export type Acceptable = { campaign: NewCampaign; idempotency: Idempotency | null; notQueued?: NotQueued[] }

export type Accepted =
  | { kind: 'accepted' | 'replayed'; id: string; notQueued?: NotQueued[] | undefined }
  | { kind: 'refused'; fault: Fault }

export type Idempotency = { key: string; fingerprint: string }

/** What the functions behind the calls and sweeps of campaigns work with. Made in start.ts. */
export type Campaigns = {
  readonly db: Db
  /** Runs reads over connections of their own, which apps use in turn. */
  readonly reads: Reads<Tables>
  readonly bus: Pick<Bus, 'call' | 'publish'>
  readonly log: Log
  readonly measures: Measures
  readonly idempotencyHours: number
  readonly defaultTtlSeconds: number
  readonly transactionalDays: number
  /** The tracker keeps outcomes for this many days. */
  readonly ledgerDays: number
  readonly pauseDays: number
  readonly catchUpSeconds: number
  /** Writes a notification or a draft, in one commit with others that are ready. */
  readonly accept: (item: Acceptable) => Promise<Accepted>
  /** Tells audience, in the background, of a send that was just accepted. */
  readonly start: (campaign: NewCampaign) => void
  /** Notes that some app has more than the 64 sends of which audience is told at once. When audience starts one, the sweep tells it of another. */
  readonly haveWaiting: () => void
  /** Gives a small send to audience in a call, in the background. */
  readonly handOver: (small: FrozenSmallSend, pointerNo: number) => void
  /** Sends audience a pointer to a campaign that is due, in the background. */
  readonly pointAt: (campaignId: string, pointerNo?: number, appId?: string) => void
  /** Tells audience, in the background, whether a send goes on, is paused or is cancelled. The sweep repeats the call until audience has answered. */
  readonly tell: (change: Started) => void
  /** Wakes the sweeps of scheduled sends and of recurrences, after a campaign was scheduled or a recurrence was sent or resumed. */
  readonly poke: () => void
  /** Wakes the sweep that begins the follow-ups of recalls. */
  readonly beginRecalls: () => void
  readonly fanOutStarted: (request: Several) => Promise<Flows>
  readonly settleCampaigns: (request: Several) => Promise<Record<string, never>>
}
