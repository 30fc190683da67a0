import type { Sealer } from '@herald/auth/seal'
import type { Announcement } from '@herald/contracts/event'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { Reads } from '@herald/service/postgres'
import { LRUCache } from 'lru-cache'
import type { Post } from './http/post.ts'
import type { Secrets } from './secrets.ts'
import type { Db, Tables } from './store/tables.ts'

export type Retention = { logDays: number; deliveredHours: number; undeliveredDays: number }

/** What the functions behind the calls, the sweeps and the consumer of webhooks work with. Made in start.ts. */
export type Webhooks = {
  readonly db: Db
  /** Runs reads over connections of their own, which apps use in turn. */
  readonly reads: Reads<Tables>
  readonly bus: Pick<Bus, 'call' | 'broadcast'>
  readonly log: Log
  /** An endpoint may store this many bytes, in waiting events and bodies. */
  readonly mostBytes: number
  /** The wait before the second attempt of a delivery, in milliseconds. */
  readonly retryBaseMs: number
  readonly retention: Retention
  readonly sealer: Sealer
  readonly secrets: Secrets
  /** The events of bodies that were made or read lately, by the body's id. The events of a body never change. */
  readonly bodies: LRUCache<number, Buffer>
  readonly post: Post
  /** Says what is wrong with a URL that is to be saved; undefined when nothing is wrong. */
  readonly checkUrl: (url: string) => Promise<string | undefined>
  /** Wakes the sweep that posts deliveries, because one is due now. */
  readonly pokeDeliveries: () => void
  /**
   * Stores the events of an announcement, in one commit with other announcements that are ready. Says whether they are stored: not while the app's
   * event log is locked.
   */
  readonly collect: (announcement: Announcement) => Promise<boolean>
  /**
   * Tells tracker or audience, in the background, that the events of its announcement are stored, many announcements in one call. When that fails,
   * the announcement comes again and is confirmed then.
   */
  readonly confirm: Record<Announcement['owner'], (announcementId: string) => void>
}
