import type { AppSettings } from '@herald/contracts/app'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { LastNotified } from './sends/last-notified.ts'
import type { Db, FanOut } from './store/tables.ts'

/** What the flows of audience have at hand. */
export type Audience = {
  db: Db
  bus: Bus
  log: Log
  /** An app's settings as they are now (a change works within 2 s); undefined: there is no such app any more. */
  settingsOf: (appId: string) => Promise<AppSettings | undefined>
  /** A short transaction on one campaign's rows, committed together with others that are ready. It may be run more than once. */
  commit: <T>(of: { campaignId: string; appId: string }, work: (trx: Db) => Promise<T>) => Promise<T>
  /** These fan-outs are over and told: it is written down unless they settle first. */
  noteTold: (rows: Pick<FanOut, 'campaign_id' | 'page' | 'batches'>[]) => void
  /** Batches of small sends wait for their app's turn: the sweep is to look soon, and whenever one is taken. */
  haveWaiting: () => void
  /** Reads a page's devices: a bounded number of pages at once, and of an app at most half of these. */
  scan: <T>(appId: string, work: () => Promise<T>) => Promise<T>
  lastNotified: LastNotified
}
