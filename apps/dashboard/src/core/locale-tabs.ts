import { chooseLocale } from '@herald/contracts/content'
import { canonicalLocale } from '@herald/contracts/text'
import { contentOfDraft, type ContentDraft } from './content-draft.ts'

/** A language of the audience without a text of its own, and the locale whose text its users get instead. */
export type MissingLocale = { locale: string; people: number; readsInstead: string }

/** The English name of a locale, "German (Austria)"; its code if it has no name. */
export function nameOfLocale(locale: string): string {
  try {
    return names.of(locale) ?? locale
  } catch {
    return locale
  }
}
const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' })

/**
 * The languages of users of a sample for which a content has no text, the most used first, at most `most`. A region whose
 * language is there is not missing.
 */
export function missingLocales(content: ContentDraft, languages: readonly (string | null)[], most = 4): MissingLocale[] {
  if (!content.entries.some(({ locale }) => locale === content.fallback)) return []
  const map = contentOfDraft(content)
  const missing = new Map<string, MissingLocale>()
  for (const language of languages) {
    const canonical = language === null ? undefined : canonicalLocale(language)
    if (canonical === undefined) continue
    const { locale: readsInstead } = chooseLocale(map, canonical)
    const [own = canonical] = canonical.split('-')
    if (readsInstead.split('-')[0] === own) continue
    const known = missing.get(own)
    missing.set(own, { locale: own, people: (known?.people ?? 0) + 1, readsInstead })
  }
  return [...missing.values()].toSorted((one, other) => other.people - one.people).slice(0, most)
}

/** A typed locale in its usual spelling; undefined when it is no locale. */
export const readLocale = (typed: string): string | undefined => canonicalLocale(typed.trim().replaceAll('_', '-'))
