import type { Kysely } from 'kysely'
import { listed, type Listed } from '@herald/contracts/page'
import type { AuditFilter } from '../core/audit.ts'
import type { Page } from '../core/page.ts'
import { ofNoApp } from '../session/sessions.ts'
import { getApp } from '../apps/store/apps.ts'
import { findAudit, type AuditEntry } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'

/** The audit of an app, newest first. Fault not_found. */
export async function listAudit(db: Kysely<Tables>, appId: string, page: Page, filter: AuditFilter): Promise<Listed<AuditEntry>> {
  await getApp(db, appId)
  return listLines(db, appId, page, filter)
}

/** The audit of what belongs to no app, newest first. */
export const listAuditOfHerald = (db: Kysely<Tables>, page: Page, filter: AuditFilter): Promise<Listed<AuditEntry>> =>
  listLines(db, ofNoApp, page, filter)

async function listLines(db: Kysely<Tables>, appId: string, page: Page, filter: AuditFilter): Promise<Listed<AuditEntry>> {
  const { rows, examinedTo } = await findAudit(db, appId, page, filter)
  return listed(rows, page.limit, ({ entry }) => entry, examinedTo)
}
