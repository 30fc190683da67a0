import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { Db } from './store/tables.ts'

/** What the flows of audience have at hand. */
export type Audience = { db: Db; bus: Bus; log: Log }
