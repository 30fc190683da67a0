import { listOpenPushes, type OpenPush } from '@herald/contracts/calls/audience'
import { listPushes, type LedgerRow } from '@herald/contracts/calls/tracker'
import { outcomes } from '@herald/contracts/outcome'
import { ObjectId, text } from '@herald/contracts/text'
import { z } from 'zod'
import { pageQuery } from '../core/page.ts'
import { readApp } from '../manage-app.ts'
import { PushList } from './administration-answers.ts'
import { route } from './route.ts'

const LedgerQuery = z.strictObject({
  campaignId: ObjectId.optional(),
  userId: ObjectId.optional(),
  subscriptionId: ObjectId.optional(),
  outcome: z
    .enum([...outcomes, 'open'])
    .optional()
    .meta({ description: 'Only pushes that ended so; `open`: only those that have not ended yet. Without it the open ones come first.' }),
  code: text(1, 64).optional(),
  ...pageQuery,
})

/** A push that has not ended, in the shape of those that have. */
export type ShownOpenPush = Omit<LedgerRow, 'outcome' | 'settledAt'> & { outcome: 'open'; settledAt: null } & Pick<
    OpenPush,
    'state' | 'nextTryAt'
  >

/** Cursors of audience's part of the list; the tracker's begin with an id. The bare prefix with `end` stands where the ledger begins. */
const openPrefix = 'open.'
const ledgerBegins = `${openPrefix}end`

export const pushes = [
  route({
    name: 'listPushes',
    method: 'get',
    path: '/v1/admin/apps/:appId/pushes',
    key: 'admin',
    query: LedgerQuery,
    status: 200,
    summary: 'List what became of pushes, newest first; those that have not ended come before the others, with their last answer',
    answers: PushList,
    async answer({ db, bus }, { appId, query }) {
      await readApp(db, appId)
      const { outcome, cursor, limit, ...filters } = Object.fromEntries(
        Object.entries(query).filter(([, value]) => value !== undefined),
      ) as typeof query
      const isLedger = (outcome !== undefined && outcome !== 'open') || cursor === ledgerBegins
      const isOpenPart = !isLedger && (outcome === 'open' || cursor === undefined || cursor.startsWith(openPrefix))

      const after = cursor?.startsWith(openPrefix) ? cursor.slice(openPrefix.length) : cursor
      const open = isOpenPart
        ? await bus.call(listOpenPushes, { appId, limit, ...filters, ...(after === undefined ? {} : { cursor: after }) })
        : { items: [], nextCursor: null }
      const items = open.items.map(shownOpen)
      if (open.nextCursor !== null) return { items, nextCursor: openPrefix + open.nextCursor }
      if (outcome === 'open') return { items, nextCursor: null }
      if (items.length === limit) return { items, nextCursor: ledgerBegins }

      const goesOn = isOpenPart || cursor === ledgerBegins || cursor === undefined ? {} : { cursor }
      const asked = { appId, ...filters, limit: limit - items.length, ...(outcome === undefined ? {} : { outcome }), ...goesOn }
      const ended = await bus.call(listPushes, asked)
      return { items: [...items, ...ended.items], nextCursor: ended.nextCursor }
    },
  }),
]

export const shownOpen = ({ tries, state, nextTryAt, ...push }: OpenPush): ShownOpenPush => ({
  ...push,
  variant: null,
  outcome: 'open',
  attempts: tries,
  settledAt: null,
  engagements: [],
  state,
  nextTryAt,
})
