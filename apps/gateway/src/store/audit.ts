import { newId } from '@herald/contracts/ids'
import type { Kysely } from 'kysely'
import type { Page } from '../core/page.ts'
import { newestFirst } from './newest-first.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

export type AuditAction =
  | 'app.created'
  | 'app.changed'
  | 'app.deleted'
  | 'key.created'
  | 'key.revoked'
  | 'provider.set'
  | 'provider.removed'
  | 'identity-secret.made'
  | `${'segment' | 'template' | 'webhook'}.${'created' | 'changed' | 'deleted'}`
  | 'provider.probed'
  | `campaign.${'created' | 'changed' | 'deleted' | 'sent' | 'cancelled' | 'paused' | 'resumed' | 'duplicated' | 'winner-picked'}`
  | `webhook.${'enabled' | 'secret-rotated' | 'replayed'}`

export type AuditEntry = { id: string; actor: string; action: string; subject: Record<string, unknown>; createdAt: string }

/** Who changed what, written in the transaction of the change where it is the gateway's own. The subject holds ids and names, never a secret. */
export const insertAudit = (db: Db, entry: { appId: string; action: AuditAction; subject: Record<string, unknown> }): Promise<unknown> =>
  db
    .insertInto('audit')
    .values({ id: newId(), app_id: entry.appId, actor: 'administrator', action: entry.action, subject: JSON.stringify(entry.subject) })
    .execute()

export async function findAudit(db: Db, appId: string, page: Page): Promise<{ id: string; createdAt: Date; entry: AuditEntry }[]> {
  const rows = await newestFirst(db.selectFrom('audit').where('app_id', '=', appId), page, { id: 'id', createdAt: 'created_at' })
    .select(['id', 'actor', 'action', 'subject', 'created_at'])
    .execute()
  return rows.map(({ created_at, ...row }) => ({
    id: row.id,
    createdAt: created_at,
    entry: { ...row, createdAt: created_at.toISOString() },
  }))
}
