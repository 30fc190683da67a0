import { searchTexts } from '../../core/search-texts.ts'

export type AuditSearch = { action?: string; actor?: string; subjectId?: string; from?: string; to?: string }

export const auditFilters = ['action', 'actor', 'subjectId', 'from', 'to'] as const

/** The filters of the audit, as the API names them. Times are ISO 8601. */
export const validateAuditSearch = (raw: Record<string, unknown>): AuditSearch => searchTexts(raw, auditFilters)
