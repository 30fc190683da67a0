import type { AppSettings } from '@herald/contracts/app'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { LastNotified } from './last-notified.ts'
import type { FanOut } from './sends/store/fan-outs.ts'
import type { Db } from './store/tables.ts'

/** What the flows of audience have at hand. */
export type Audience = {
  db: Db
  bus: Bus
  log: Log
  /** Reads an app's settings as they are now (a change works within 2 s); undefined when the app does not exist any more. */
  settingsOf: (appId: string) => Promise<AppSettings | undefined>
  /** Runs a short transaction on one campaign's rows, committed together with others that are ready. It may run more than once. */
  commit: <T>(of: { campaignId: string; appId: string }, work: (trx: Db) => Promise<T>) => Promise<T>
  /** Notes that campaigns and tracker were told of these fan-outs, which are over. It is written later, unless they are settled before. */
  noteTold: (rows: Pick<FanOut, 'campaignId' | 'page' | 'batches'>[]) => void
  /** To be called when batches of small sends wait for their app's turn: the sweep looks soon, and whenever a batch is taken. */
  haveWaiting: () => void
  /** Reads a page's devices. Only a bounded number of pages is read at once, and at most half of these of one app. */
  scan: <T>(appId: string, work: () => Promise<T>) => Promise<T>
  lastNotified: LastNotified
}
