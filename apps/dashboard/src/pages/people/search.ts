import { textIn, tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page. `cursor` is the page of the list; `import` is the import that is shown. */
export type PeopleSearch = {
  tab?: 'imports' | undefined
  q?: string | undefined
  cursor?: string | undefined
  import?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validatePeopleSearch = (raw: Record<string, unknown>): PeopleSearch =>
  tidy({ tab: wordIn(raw, 'tab', ['imports'] as const), q: textIn(raw, 'q'), cursor: textIn(raw, 'cursor'), import: textIn(raw, 'import') })
