import { textIn, tidy } from '../../core/search.ts'

/** The filters of the audit, as the API names them. Times are ISO 8601. */
export type AuditSearch = { action?: string; actor?: string; subjectId?: string; from?: string; to?: string }

/** Reads the search parameters. What it does not understand is left out. */
export const validateAuditSearch = (raw: Record<string, unknown>): AuditSearch =>
  tidy({
    action: textIn(raw, 'action'),
    actor: textIn(raw, 'actor'),
    subjectId: textIn(raw, 'subjectId'),
    from: textIn(raw, 'from'),
    to: textIn(raw, 'to'),
  }) as AuditSearch
