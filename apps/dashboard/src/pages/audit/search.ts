import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page: the filters of the audit under the names of the API. Times are ISO 8601. */
export type AuditSearch = { action?: string; actor?: string; subjectId?: string; from?: string; to?: string }

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateAuditSearch = (raw: Record<string, unknown>): AuditSearch =>
  tidy({
    action: textIn(raw, 'action'),
    actor: textIn(raw, 'actor'),
    subjectId: textIn(raw, 'subjectId'),
    from: textIn(raw, 'from'),
    to: textIn(raw, 'to'),
  }) as AuditSearch
