import { batchSubject, pointersPerMessage } from '@herald/contracts/batch'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { bulkFanOutWork, fanOutWork } from '@herald/contracts/topology'
import { group } from '@herald/service/group'
import type { Audience } from './audience.ts'
import type { AnnouncementRow } from './store/announcements.ts'
import type { BatchPointerRow, PagePointer } from './store/due.ts'

type Pointing = Pick<Audience, 'bus' | 'log'>

/**
 * Publishes a pointer at a row. It throws nothing when that fails: the row stays, and the sweep points again. The message id contains the row's
 * pointer number, because NATS drops a repeated id.
 */
async function point({ bus, log }: Pointing, subject: string, body: unknown, id: string): Promise<void> {
  try {
    await bus.publish(subject, body, id)
  } catch (error) {
    const isOwn = !Fault.is(error, 'queue_unavailable')
    log[isOwn ? 'error' : 'debug']({ subject, id, ...(isOwn ? { err: error } : {}) }, 'not published, the sweep points again')
  }
}

/**
 * Publishes pointers at batches. Those of small sends on one platform share a message; a bulk batch has its own, because a dispatcher works on few at
 * a time.
 */
export const pointAtBatches = (pointing: Pointing, batches: BatchPointerRow[]) =>
  Promise.all(
    [...Map.groupBy(batches, ({ platform, lane }) => batchSubject(platform, lane))].flatMap(([subject, of]) =>
      slices(of, of[0]?.lane === 'prompt' ? pointersPerMessage : 1).map((some) => pointAtSome(pointing, subject, some)),
    ),
  )

/**
 * Publishes one message for several batches. The message id is made of the first batch's id and pointer number, which are published
 * together only once.
 */
async function pointAtSome(pointing: Pointing, subject: string, some: BatchPointerRow[]): Promise<void> {
  const [first] = some
  if (!first) return
  const batches = some.map(({ batchId, campaignId, appId, size }) => ({
    batchId,
    campaignId,
    appId,
    ...(size === undefined ? {} : { size }),
  }))
  await point(pointing, subject, { batches }, `${first.batchId}.${first.pointerNo}`)
}

/**
 * Gives a function that publishes a pointer at a batch of a small send. Pointers that wait at the same time share a message, with apps taking turns.
 */
export function pointTogether(pointing: Pointing): (batch: BatchPointerRow) => Promise<void> {
  const lanes = new Map<string, (batch: BatchPointerRow) => Promise<void>>()
  const open = (subject: string) =>
    group((some: BatchPointerRow[]) => pointAll(subject, some), {
      limit: pointersPerMessage,
      atOnce: 4,
      maxWaiting: 5_000,
      full: queueUnavailable,
      appOf: ({ appId }) => appId,
    })
  const pointAll = async (subject: string, some: BatchPointerRow[]) => {
    await pointAtSome(pointing, subject, some)
    return some.map(() => undefined)
  }
  return (batch) => {
    const subject = batchSubject(batch.platform, batch.lane)
    const lane = lanes.get(subject) ?? open(subject)
    lanes.set(subject, lane)
    return lane(batch)
  }
}

const slices = <T>(all: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

/** Publishes pointers at sends that have no fan-out yet, as campaigns does. Each message has a new id, because campaigns numbers its own pointers. */
export const pointAtSends = (pointing: Pointing, sends: { campaignId: string; appId: string }[]) =>
  Promise.all(
    sends.map(({ campaignId, appId }) => point(pointing, fanOutWork.subject, { campaignId, page: 0, appId }, `${campaignId}.${newId()}`)),
  )

export const pointAtPages = (pointing: Pointing, pages: PagePointer[]) =>
  Promise.all(
    pages.map(({ campaignId, page, pointerNo, lane }) =>
      point(pointing, (lane === 'bulk' ? bulkFanOutWork : fanOutWork).subject, { campaignId, page }, `${campaignId}.${page}.${pointerNo}`),
    ),
  )

/** Publishes announcements. The message contains the events themselves, because they are small: ids and codes. */
export const announce = (pointing: Pointing, announcements: AnnouncementRow[]) =>
  Promise.all(
    announcements.map(({ id, subject, body, pointerNo }) =>
      point(pointing, subject, { announcementId: id, owner: 'audience', events: body }, `${id}.${pointerNo}`),
    ),
  )
