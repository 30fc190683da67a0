import { listPushes } from '@herald/contracts/calls/tracker'
import { outcomes } from '@herald/contracts/outcome'
import { ObjectId, text } from '@herald/contracts/text'
import { z } from 'zod'
import { pageQuery } from '../core/page.ts'
import { readApp } from '../manage-app.ts'
import { route } from './route.ts'

const LedgerQuery = z.strictObject({
  campaignId: ObjectId.optional(),
  userId: ObjectId.optional(),
  subscriptionId: ObjectId.optional(),
  outcome: z.enum(outcomes).optional(),
  code: text(1, 64).optional(),
  ...pageQuery,
})

export const pushes = [
  route({
    name: 'listPushes',
    method: 'get',
    path: '/v1/admin/apps/:appId/pushes',
    key: 'admin',
    query: LedgerQuery,
    status: 200,
    summary: 'List what became of pushes, newest first',
    async answer({ db, bus }, { appId, query }) {
      await readApp(db, appId)
      const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      return bus.call(listPushes, { appId, limit: query.limit, ...asked })
    },
  }),
]
