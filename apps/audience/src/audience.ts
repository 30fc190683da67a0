import type { AppSettings } from '@herald/contracts/app'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { LastNotified } from './last-notified.ts'
import type { FanOut } from './sends/store/fan-outs.ts'
import type { Db } from './store/tables.ts'

/** What most functions of audience need: connections, and functions that the process shares. Made in start.ts. */
export type Audience = {
  db: Db
  bus: Bus
  log: Log
  /** Gives an app's settings, which may be 2 s old when the broadcast of a change was lost; undefined when the app does not exist any more. */
  settingsOf: (appId: string) => Promise<AppSettings | undefined>
  /** Runs a short transaction on the rows of one campaign, and commits it together with others that wait. `work` may run more than once. */
  commit: <T>(of: { campaignId: string; appId: string }, work: (trx: Db) => Promise<T>) => Promise<T>
  /**
   * Notes that campaigns and the tracker know everything about these complete fan-outs. The note is written 2 s later, unless the send is
   * settled by then.
   */
  noteTold: (rows: Pick<FanOut, 'campaignId' | 'page' | 'batches'>[]) => void
  /**
   * Is called when batches of small sends wait until the sweep points at them: for the next 5 s the sweep runs whenever a batch is taken, because
   * then another batch may get a pointer.
   */
  haveWaiting: () => void
  /** Runs `work`, which reads the devices of a page. Only a limited number of pages is read at once, and at most half of them of one app. */
  scan: <T>(work: () => Promise<T>, appId: string) => Promise<T>
  lastNotified: LastNotified
  /** The most bulk batches of an app on a platform that wait for a dispatcher or are taken (sends/store/bulk-window.ts). */
  bulkWindow: number
}
