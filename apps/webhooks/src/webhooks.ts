import type { Sealer } from '@herald/auth/seal'
import type { Announcement } from '@herald/contracts/event'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { Reads } from '@herald/service/postgres'
import { LRUCache } from 'lru-cache'
import type { Post } from './http/post.ts'
import type { Retention } from './keep-house.ts'
import type { Secrets } from './secrets.ts'
import type { Db, Tables } from './store/tables.ts'

/** What the flows of webhooks have at hand. */
export type Webhooks = {
  readonly db: Db
  /** For flows that only read: connections of their own, in turn between apps. */
  readonly reads: Reads<Tables>
  readonly bus: Pick<Bus, 'call' | 'broadcast'>
  readonly log: Log
  /** The bytes that an endpoint may store, in waiting events and bodies. */
  readonly mostBytes: number
  /** The wait before the second attempt of a delivery. */
  readonly retryBaseMs: number
  readonly retention: Retention
  readonly sealer: Sealer
  readonly secrets: Secrets
  /** The events of bodies that were made or sent lately, by the body's number. What a number holds never changes. */
  readonly bodies: LRUCache<number, Buffer>
  readonly post: Post
  /** Says what is wrong with an address, after asking what its name resolves to; undefined when nothing is. */
  readonly checkUrl: (url: string) => Promise<string | undefined>
  /** Deliveries are due now. */
  readonly pokeDeliveries: () => void
  /** Takes over an announcement, in one commit with others that are ready. */
  readonly collect: (announcement: Announcement) => Promise<void>
  /** Tells the app that announced events that they are taken over, many in one call. */
  readonly confirm: Record<Announcement['owner'], (announcementId: string) => Promise<unknown>>
}
