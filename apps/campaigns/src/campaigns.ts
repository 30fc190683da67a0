import type { FrozenSmallSend } from '@herald/contracts/calls/audience'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { Reads } from '@herald/service/postgres'
import type { Acceptable, Accepted } from './accept-campaigns.ts'
import type { Measures } from './measures.ts'
import type { Flows, Several } from './record-progress.ts'
import type { NewCampaign, Started } from './store/campaigns.ts'
import type { Db, Tables } from './store/tables.ts'

/** What the flows of campaigns have at hand. */
export type Campaigns = {
  readonly db: Db
  /** For flows that only read: connections of their own, in turn between apps. */
  readonly reads: Reads<Tables>
  readonly bus: Pick<Bus, 'call' | 'publish'>
  readonly log: Log
  readonly measures: Measures
  readonly idempotencyHours: number
  readonly defaultTtlSeconds: number
  readonly transactionalDays: number
  /** How long the tracker keeps outcomes. */
  readonly ledgerDays: number
  readonly pauseDays: number
  readonly catchUpSeconds: number
  /** Writes a notification or a draft, in one commit with others that are ready. */
  readonly accept: (item: Acceptable) => Promise<Accepted>
  /** Lets audience know, in the background, of a send that was just accepted. */
  readonly start: (campaign: NewCampaign) => void
  /** Sends of an app wait for their turn: each send that audience takes over makes room for the next. */
  readonly haveWaiting: () => void
  /** Hands a small send over to audience, in the background. */
  readonly handOver: (small: FrozenSmallSend, pointerNo: number) => void
  /** Points audience at a campaign that is due, in the background. */
  readonly pointAt: (campaignId: string, pointerNo?: number, appId?: string) => void
  /** Tells audience, in the background, whether a send goes on. The sweep repeats it until audience has answered. */
  readonly tell: (change: Started) => void
  /** A schedule was set or resumed: the sweeps look now. */
  readonly poke: () => void
  readonly fanOutStarted: (request: Several) => Promise<Flows>
  readonly settleCampaigns: (request: Several) => Promise<Record<string, never>>
}
