import type { Sealer } from '@herald/auth/seal'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { LRUCache } from 'lru-cache'
import type { Post } from './http/post.ts'
import type { Secrets } from './secrets.ts'
import type { Db } from './store/tables.ts'

/** What the flows of webhooks have at hand. */
export type Webhooks = {
  readonly db: Db
  /** What an endpoint may store, in waiting events and bodies. */
  readonly mostBytes: number
  readonly bus: Pick<Bus, 'call'>
  readonly log: Log
  readonly sealer: Sealer
  readonly secrets: Secrets
  /** The events of bodies that were made or sent lately, by the body's number: what one number holds never changes. */
  readonly bodies: LRUCache<number, Buffer>
  readonly post: Post
  /** What is wrong with an address, as a sentence, after asking what its name resolves to; undefined: nothing. */
  readonly checkUrl: (url: string) => Promise<string | undefined>
}
