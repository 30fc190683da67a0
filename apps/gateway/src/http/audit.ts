import { AuditQuery } from '../core/audit.ts'
import { pageOf } from '../core/page.ts'
import { listAudit } from '../list-audit.ts'
import { AuditList } from './administration-answers.ts'
import { route } from './route.ts'

export const audit = [
  route({
    name: 'listAudit',
    method: 'get',
    path: '/v1/admin/apps/:appId/audit',
    key: 'admin',
    query: AuditQuery,
    status: 200,
    summary: 'List who changed what and when, newest first: by action or its beginning, actor, id and time',
    answers: AuditList,
    answer: ({ reads }, { appId, query }) => reads((db) => listAudit(db, appId, pageOf(query), query), { turn: appId }),
  }),
]
