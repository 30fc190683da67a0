import {
  confirmAudienceAnnouncements,
  dropCampaign as dropCampaignCall,
  findSegment as findSegmentCall,
  finishBatch as finishBatchCall,
  registerSubscription as registerSubscriptionCall,
  renewBatch as renewBatchCall,
  takeBatch as takeBatchCall,
} from '@herald/contracts/calls/audience'
import { queueUnavailable } from '@herald/contracts/fault'
import { fanOutWork } from '@herald/contracts/topology'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { isDatabaseAway } from '@herald/service/health'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import type { z } from 'zod'
import type { Audience } from './audience.ts'
import type { Config } from './config.ts'
import { dropCampaign } from './drop-campaign.ts'
import { fanOut } from './fan-out.ts'
import { finishBatch } from './finish-batch.ts'
import { readTaken, rememberSends } from './read-taken.ts'
import { registerSubscription } from './register-subscription.ts'
import { renewBatch } from './renew-batch.ts'
import { deleteAnnouncements } from './store/announcements.ts'
import { purgeFanOuts } from './store/fan-outs.ts'
import { findSegment } from './store/segments.ts'
import type { Tables } from './store/tables.ts'
import { sweepDue } from './sweep-due.ts'
import { takeBatch, type Granted } from './take-batch.ts'

/** One commit for everything that is ready, at most 500; above 5,000 waiting the caller is asked to come again. */
const shared = { limit: 500, maxWaiting: 5_000, full: queueUnavailable, isShared: isDatabaseAway }

/** Retention is swept once a minute: it is measured in days. */
const purgeEveryMs = 60_000

/** What is plugged into what. */
export async function wireAudience(service: Service<z.infer<typeof Config>>): Promise<void> {
  const { config, log } = service
  const { db, watch } = await openDatabase<Tables>(service, { url: config.DATABASE_URL_AUDIENCE, poolSize: config.DATABASE_POOL_SIZE })
  const bus = await openBus(service, watch)
  const audience: Audience = { db, bus, log }
  const remembered = rememberSends()

  const due = startSweep(service, watch, 'due', () => sweepDue(audience))
  startSweep(
    service,
    watch,
    'retention',
    everyMs(purgeEveryMs, () => purgeFanOuts(db, config.FAN_OUT_RETENTION_DAYS)),
  )

  const take = group((asked: Parameters<typeof takeBatch>[1]) => takeBatch({ db }, asked), shared)
  const read = (granted: Granted[]) => readTaken({ db, remembered }, granted)
  // Each lane reads for itself, so that a small batch does not wait behind 500 recipients of a large one.
  const readLane = { prompt: group(read, shared), bulk: group(read, { ...shared, limit: 8 }) }
  const renew = group((takes: Parameters<typeof renewBatch>[1]) => renewBatch({ db }, takes), shared)
  const finish = group(
    (finishes: Parameters<typeof finishBatch>[1]) => finishBatch({ ...audience, poke: () => due.poke() }, finishes),
    shared,
  )

  bus.answer(registerSubscriptionCall, (request) => registerSubscription({ db }, request))
  bus.answer(findSegmentCall, (request) => findSegment(db, request))
  bus.answer(takeBatchCall, async (request) => {
    const given = await take(request)
    return 'row' in given ? readLane[given.row.lane](given) : given
  })
  bus.answer(renewBatchCall, renew)
  bus.answer(finishBatchCall, async (request) => ({ answer: await finish(request) }))
  bus.answer(dropCampaignCall, (request) => dropCampaign(audience, request))
  bus.answer(confirmAudienceAnnouncements, async ({ announcementIds }) => {
    if (announcementIds.length > 0) await deleteAnnouncements(db, announcementIds)
    return {}
  })

  await bus.consume(fanOutWork, { slots: 8 }, (pointer) => fanOut(audience, pointer))
}

/** A sweep that does its work at most once per interval of this process's own steady clock. */
function everyMs(intervalMs: number, work: () => Promise<unknown>): () => Promise<{ took: number }> {
  let lastAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - lastAt < intervalMs) return { took: 0 }
    await work()
    lastAt = performance.now()
    return { took: 0 }
  }
}
