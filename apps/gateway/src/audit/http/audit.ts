import { listed, type Listed } from '@herald/contracts/page'
import { Id, line, Timestamp } from '@herald/contracts/text'
import { z } from 'zod'
import { getApp } from '../../apps/store/apps.ts'
import { ofNoApp } from '../../core/audit.ts'
import { pageOf, pageQuery } from '../../core/page.ts'
import type { Gateway } from '../../gateway.ts'
import { describes, listOf, Time } from '../../http/answers.ts'
import { route } from '../../http/route.ts'
import * as shop from '../../http/shop.ts'
import { findAudit, type AuditEntry as AuditRead } from '../store/audit.ts'

const actionName = /^[a-z]+(?:-[a-z]+)*\.(?:[a-z]+(?:-[a-z]+)*)?$/

/**
 * The query of a list of audit lines. An action that ends in `.` stands for all actions that begin with it: `key.` for `key.created` and
 * `key.revoked`.
 */
const AuditQuery = z
  .strictObject({
    action: z
      .string()
      .refine(
        (action) => action.length <= 64 && actionName.test(action),
        'must be an action such as key.created, or its beginning such as key.',
      )
      .optional(),
    actor: line(1, 128).optional(),
    subjectId: line(1, 128).optional(),
    from: Timestamp.optional(),
    to: Timestamp.optional(),
    ...pageQuery,
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, { path: ['to'], message: 'must be later than from' })

export const AuditEntry = describes<AuditRead>()(
  z.object({
    id: Id,
    actor: z.string(),
    action: z.string(),
    subject: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What was changed: ids, names, kinds, counts and the like; never a secret.' }),
    requestId: z.string().nullable(),
    createdAt: Time,
  }),
)
export const AuditList = listOf(AuditEntry)

export const audit = [
  route({
    name: 'listAuditOfHerald',
    method: 'get',
    path: '/v1/admin/audit',
    key: 'admin',
    scope: 'platform',
    query: AuditQuery,
    status: 200,
    summary: 'List what was done that belongs to no app, newest first: sessions begun, refused and ended, sign-in links made',
    answers: AuditList,
    answer: ({ reads }, { query }) => reads((db) => listAudit(db, ofNoApp, query)),
  }),
  route({
    name: 'listAudit',
    method: 'get',
    path: '/v1/admin/apps/:appId/audit',
    key: 'admin',
    scope: 'people',
    query: AuditQuery,
    status: 200,
    summary: 'List who changed what and when, newest first; it can be filtered by action or its beginning, actor, id and time',
    answers: AuditList,
    answer: ({ reads }, { appId, query }) =>
      reads(
        async (db) => {
          await getApp(db, appId)
          return listAudit(db, appId, query)
        },
        { appId },
      ),
  }),
]

async function listAudit(db: Gateway['db'], appId: string, query: z.output<typeof AuditQuery>): Promise<Listed<AuditRead>> {
  const page = pageOf(query)
  const { rows, examinedTo } = await findAudit(db, appId, page, query)
  return listed(rows, page.limit, ({ entry }) => entry, examinedTo)
}

const keyMade = {
  id: '671a2b3c4d5e6f7081920a09',
  actor: 'Ann Miller',
  action: 'key.created',
  subject: { keyId: shop.keyId, kind: 'secret', name: 'backend', scopes: ['notifications:send', 'campaigns:read'] },
  requestId: '671a2b3c4d5e6f7081920a10',
  createdAt: shop.monday,
} satisfies AuditRead
const sessionBegun = {
  ...keyMade,
  actor: 'Dana',
  action: 'session.begun',
  subject: { id: '671a2b3c4d5e6f7081920a08', by: 'link', browser: 'Firefox 153' },
} satisfies AuditRead

/** Example answers of the routes of the audit, by route name. */
export const auditExamples: Record<string, shop.Example> = {
  listAudit: { answer: shop.listOf(keyMade) },
  listAuditOfHerald: { answer: shop.listOf(sessionBegun) },
}
