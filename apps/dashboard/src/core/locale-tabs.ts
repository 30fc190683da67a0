import { chooseLocale } from '@herald/contracts/content'
import { canonicalLocale, withPresentCode } from '@herald/contracts/text'
import { contentOfDraft, type ContentDraft } from './content-draft.ts'

/** A language of users for which there is no text, the number of those users in the sample, and the locale whose text they get instead. */
export type MissingLocale = { locale: string; people: number; readsInstead: string }

/** Gives the English name of a locale, such as "German (Austria)", or its code when it has no name. */
export function nameOfLocale(locale: string): string {
  try {
    return names.of(locale) ?? locale
  } catch {
    return locale
  }
}
const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' })

/**
 * Gives the languages of a sample of users for which there is no text: the most frequent first, at most `most`. A region such as `de-AT` is not
 * missing when its language `de` has a text.
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
    if (withPresentCode(readsInstead).split('-')[0] === own) continue
    const known = missing.get(own)
    missing.set(own, { locale: own, people: (known?.people ?? 0) + 1, readsInstead })
  }
  return [...missing.values()].toSorted((one, other) => other.people - one.people).slice(0, most)
}

/** Gives for each locale of a content which share of a sample of users reads it, 0 to 1; undefined when nobody's language is known. */
export function sharesOf(content: ContentDraft, languages: readonly (string | null)[]): ReadonlyMap<string, number> | undefined {
  if (!content.entries.some(({ locale }) => locale === content.fallback)) return undefined
  const map = contentOfDraft(content)
  const known = languages.flatMap((language) => (language === null ? [] : [canonicalLocale(language)])).filter((one) => one !== undefined)
  if (known.length === 0) return undefined
  const readers = Map.groupBy(known, (language) => chooseLocale(map, language).locale)
  return new Map(content.entries.map(({ locale }) => [locale, (readers.get(locale)?.length ?? 0) / known.length]))
}

/** Writes a typed locale in its usual form; undefined when the text is no locale. */
export const readLocale = (typed: string): string | undefined => canonicalLocale(typed.trim().replaceAll('_', '-'))
