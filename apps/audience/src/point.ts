import { batchSubject } from '@herald/contracts/batch'
import { Fault } from '@herald/contracts/fault'
import { bulkFanOutWork, fanOutWork } from '@herald/contracts/topology'
import type { Audience } from './audience.ts'
import type { AnnouncementRow } from './store/announcements.ts'
import type { BatchPointerRow } from './store/batches.ts'
import type { PagePointer } from './store/fan-outs.ts'

type Pointing = Pick<Audience, 'bus' | 'log'>

/**
 * Publishes a pointer at a row. That it cannot be published now is no error of the flow: the row is the promise, and the sweep
 * points again. The id holds the row's pointer number, else the dedupe window would swallow the repair.
 */
async function point({ bus, log }: Pointing, subject: string, body: unknown, id: string): Promise<void> {
  try {
    await bus.publish(subject, body, id)
  } catch (error) {
    const isOwn = !Fault.is(error, 'queue_unavailable')
    log[isOwn ? 'error' : 'debug']({ subject, id, ...(isOwn ? { err: error } : {}) }, 'not published, the sweep points again')
  }
}

export const pointAtBatches = (pointing: Pointing, batches: BatchPointerRow[]) =>
  Promise.all(
    batches.map(({ batchId, campaignId, appId, platform, lane, pointerNo }) =>
      point(pointing, batchSubject(platform, lane), { batchId, campaignId, appId }, `${batchId}.${pointerNo}`),
    ),
  )

export const pointAtPages = (pointing: Pointing, pages: PagePointer[]) =>
  Promise.all(
    pages.map(({ campaignId, page, pointerNo, lane }) =>
      point(pointing, (lane === 'bulk' ? bulkFanOutWork : fanOutWork).subject, { campaignId, page }, `${campaignId}.${page}.${pointerNo}`),
    ),
  )

/** Announcements are small enough to travel whole: ids and codes. */
export const announce = (pointing: Pointing, announcements: AnnouncementRow[]) =>
  Promise.all(
    announcements.map(({ id, subject, body, pointerNo }) =>
      point(pointing, subject, { announcementId: id, owner: 'audience', events: body }, `${id}.${pointerNo}`),
    ),
  )
