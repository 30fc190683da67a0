import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type AuditSearch = {
  action?: string | undefined
  actor?: string | undefined
  subjectId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateAuditSearch = (raw: Record<string, unknown>): AuditSearch =>
  tidy({
    action: textIn(raw, 'action'),
    actor: textIn(raw, 'actor'),
    subjectId: textIn(raw, 'subjectId'),
    from: textIn(raw, 'from'),
    to: textIn(raw, 'to'),
  })
