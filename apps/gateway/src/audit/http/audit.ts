import { AuditQuery } from '../../core/audit.ts'
import { pageOf } from '../../core/page.ts'
import { listAudit, listAuditOfHerald } from '../list-audit.ts'
import { AuditList } from '../../openapi/http/administration-answers.ts'
import { route } from '../../http/route.ts'

export const audit = [
  route({
    name: 'listAuditOfHerald',
    method: 'get',
    path: '/v1/admin/audit',
    key: 'admin',
    query: AuditQuery,
    status: 200,
    summary: 'List what was done that belongs to no app, newest first: sessions begun, refused and ended, sign-in links made',
    answers: AuditList,
    answer: ({ reads }, { query }) => reads((db) => listAuditOfHerald(db, pageOf(query), query), { turn: '' }),
  }),
  route({
    name: 'listAudit',
    method: 'get',
    path: '/v1/admin/apps/:appId/audit',
    key: 'admin',
    query: AuditQuery,
    status: 200,
    summary: 'List who changed what and when, newest first; it can be filtered by action or its beginning, actor, id and time',
    answers: AuditList,
    answer: ({ reads }, { appId, query }) => reads((db) => listAudit(db, appId, pageOf(query), query), { turn: appId }),
  }),
]
