import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type ComposeSearch = {
  step?: string | undefined
  segmentId?: string | undefined
  templateId?: string | undefined
  externalId?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateComposeSearch = (raw: Record<string, unknown>): ComposeSearch =>
  tidy({
    step: textIn(raw, 'step'),
    segmentId: textIn(raw, 'segmentId'),
    templateId: textIn(raw, 'templateId'),
    externalId: textIn(raw, 'externalId'),
  })
