import { textIn, tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page. `cursor`: which page of the list; `import`: the import that is shown. */
export type PeopleSearch = {
  tab?: 'imports' | undefined
  q?: string | undefined
  cursor?: string | undefined
  import?: string | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validatePeopleSearch = (raw: Record<string, unknown>): PeopleSearch =>
  tidy({ tab: wordIn(raw, 'tab', ['imports'] as const), q: textIn(raw, 'q'), cursor: textIn(raw, 'cursor'), import: textIn(raw, 'import') })
