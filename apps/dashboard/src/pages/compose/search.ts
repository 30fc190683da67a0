import { textIn, tidy, wordIn } from '../../core/search.ts'

export type ComposeSearch = {
  step?: 'review' | undefined
  /** What a new message begins with. */
  segmentId?: string | undefined
  templateId?: string | undefined
  externalId?: string | undefined
  /** What is on screen: the language, the experiment's variant, and the user for whom the text is filled in (`nobody`, or the id of a user). */
  locale?: string | undefined
  variant?: string | undefined
  person?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateComposeSearch = (raw: Record<string, unknown>): ComposeSearch =>
  tidy({
    step: wordIn(raw, 'step', ['review']),
    segmentId: textIn(raw, 'segmentId'),
    templateId: textIn(raw, 'templateId'),
    externalId: textIn(raw, 'externalId'),
    locale: textIn(raw, 'locale'),
    variant: textIn(raw, 'variant'),
    person: textIn(raw, 'person'),
  })
