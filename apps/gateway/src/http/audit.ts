import { z } from 'zod'
import { pageOf, pageQuery } from '../core/page.ts'
import { listAudit } from '../list-audit.ts'
import { route } from './route.ts'

export const audit = [
  route({
    name: 'listAudit',
    method: 'get',
    path: '/v1/admin/apps/:appId/audit',
    key: 'admin',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List who changed what and when, newest first',
    answer: ({ reads }, { appId, query }) => reads((db) => listAudit(db, appId, pageOf(query)), { turn: appId }),
  }),
]
