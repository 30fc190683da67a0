import { findExternalIds } from '@herald/contracts/calls/audience'
import { engagementKinds } from '@herald/contracts/event'
import { outcomes } from '@herald/contracts/outcome'
import { platforms } from '@herald/contracts/platform'
import { ObjectId, text, Timestamp } from '@herald/contracts/text'
import { z } from 'zod'
import { pageQuery } from '../../core/page.ts'
import { textsOf } from '../../core/portion.ts'
import { exportPushes } from '../export-pushes.ts'
import { listShownPushes } from '../list-pushes.ts'
import { getApp } from '../../apps/store/apps.ts'
import { listOf, Push } from '../../http/answers.ts'
import { exporting, route } from '../../http/route.ts'
import { TextStream } from '../../http/text-stream.ts'
import { inPlaceOf } from '../../heavy-reads.ts'

const filters = {
  campaignId: ObjectId.optional(),
  userId: ObjectId.optional(),
  subscriptionId: ObjectId.optional(),
  outcome: z
    .enum([...outcomes, 'open'])
    .optional()
    .meta({ description: 'Only pushes with this outcome; `open`: only pushes that have none yet. Without it open pushes come first.' }),
  code: text(1, 64).optional(),
  platform: z.enum(platforms).optional(),
  reported: z
    .enum(Object.values(engagementKinds))
    .optional()
    .meta({ description: 'Only pushes of which the device has reported this. An open push has no reports.' }),
  from: Timestamp.optional().meta({
    description: 'Only pushes that ended at this moment or later; of open pushes those that were queued at this moment or later.',
  }),
  to: Timestamp.optional().meta({
    description: 'Only pushes that ended before this moment; of open pushes those that were queued before it.',
  }),
}
const PushList = listOf(
  Push.extend({ externalId: z.string().nullable().meta({ description: 'Of the user; null for one without, or who was erased.' }) }),
)
const isInOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
  from === undefined || to === undefined || from < to
const outOfOrder = { path: ['to'], message: 'must be later than from' }

const LedgerQuery = z.strictObject({ ...filters, ...pageQuery }).refine(isInOrder, outOfOrder)
const ExportQuery = z.strictObject(filters).refine(isInOrder, outOfOrder)

export const pushes = [
  route({
    name: 'listPushes',
    method: 'get',
    path: '/v1/admin/apps/:appId/pushes',
    key: 'admin',
    scope: 'people',
    query: LedgerQuery,
    status: 200,
    summary: 'List pushes with their outcomes, newest first; open pushes come before the others, with the last answer of their provider',
    answers: PushList,
    async answer({ db, bus }, { appId, query }) {
      await getApp(db, appId)
      const { items, nextCursor } = await listShownPushes({ bus }, { appId, ...query })
      const userIds = [...new Set(items.map(({ userId }) => userId))]
      const { externalIds } = userIds.length === 0 ? { externalIds: {} } : await bus.call(findExternalIds, { appId, userIds })
      return { items: items.map((push) => ({ ...push, externalId: externalIds[push.userId] ?? null })), nextCursor }
    },
  }),
  route({
    name: 'exportPushes',
    method: 'get',
    path: '/v1/admin/apps/:appId/pushes.csv',
    key: 'admin',
    scope: 'people',
    query: ExportQuery,
    status: 200,
    summary: 'Export all pushes that match the filters as a CSV; a connection that is cut means that some are missing',
    mediaType: 'text/csv',
    audit: exporting('pushes.exported'),
    async answer({ db, bus, heavyReads }, { appId, query, noteExport }) {
      await getApp(db, appId)
      const portions = noteExport(appId, query, inPlaceOf(heavyReads.exports, appId, exportPushes({ bus }, { appId, ...query })))
      return new TextStream(textsOf(portions), {
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="pushes-${appId}.csv"`,
      })
    },
  }),
]
