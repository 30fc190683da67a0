import type { Content, LocaleEntry } from '@herald/contracts/content'

/** A button of a message while the operator writes it. An empty `url` is left out when the message is saved. */
export type ActionDraft = { id: string; title: string; url: string }
/** The text of a message in one language while the operator writes it. Every field is a text, so that nothing typed is lost. */
export type EntryDraft = { title: string; body: string; url: string; image: string; actions: readonly ActionDraft[] }
/**
 * The texts of a message in all languages while the operator writes them, in the order in which the languages were added. When a stored message is
 * opened, the default language comes first.
 */
export type ContentDraft = { fallback: string; entries: readonly { locale: string; entry: EntryDraft }[] }

export const emptyEntry: EntryDraft = { title: '', body: '', url: '', image: '', actions: [] }
export const emptyContent = (locale = 'en'): ContentDraft => ({ fallback: locale, entries: [{ locale, entry: emptyEntry }] })

/** Gives the stored texts of a message as the editor holds them. */
export function draftOfContent(content: Content): ContentDraft {
  const { _default: fallback, ...locales } = content
  const isDefault = ({ locale }: { locale: string }) => locale === fallback
  const entries = Object.entries(locales).flatMap(([locale, entry]) =>
    typeof entry === 'object' ? [{ locale, entry: draftOfEntry(entry) }] : [],
  )
  // The default language comes first, because the database returns the languages in no useful order.
  return { fallback, entries: [...entries.filter(isDefault), ...entries.filter((one) => !isDefault(one))] }
}

function draftOfEntry({ title, body, url = '', image = '', actions = [] }: LocaleEntry): EntryDraft {
  return { title, body, url, image, actions: actions.map(({ url: link = '', ...action }) => ({ ...action, url: link })) }
}

/** Gives the texts of the editor as they are saved. The texts may still have mistakes, which the contracts find. */
export function contentOfDraft({ fallback, entries }: ContentDraft): Content {
  return { _default: fallback, ...Object.fromEntries(entries.map(({ locale, entry }) => [locale, entryOfDraft(entry)])) }
}

export function entryOfDraft({ title, body, url, image, actions }: EntryDraft): LocaleEntry {
  const entry: LocaleEntry = { title, body }
  if (url !== '') entry.url = url
  if (image !== '') entry.image = image
  if (actions.length > 0) {
    entry.actions = actions.map(({ id, title: label, url: link }) => (link === '' ? { id, title: label } : { id, title: label, url: link }))
  }
  return entry
}

/** Gives the text of a language, or the default language's when there is none. */
export function entryOf({ entries, fallback }: ContentDraft, locale: string): EntryDraft {
  const found = entries.find((one) => one.locale === locale) ?? entries.find((one) => one.locale === fallback) ?? entries[0]
  return found?.entry ?? emptyEntry
}

/** Changes fields of the text in one language. */
export const changeEntry = (content: ContentDraft, locale: string, change: Partial<EntryDraft>): ContentDraft => ({
  ...content,
  entries: content.entries.map((one) => (one.locale === locale ? { locale, entry: { ...one.entry, ...change } } : one)),
})

/**
 * Adds a language. Its texts begin empty, because a copied text might be sent by mistake to users of the new language. Link, picture and the ids of
 * buttons are copied, because most languages share them.
 */
export function addLocale(content: ContentDraft, locale: string): ContentDraft {
  if (content.entries.some((one) => one.locale === locale)) return content
  const { url, image, actions } = entryOf(content, content.fallback)
  const entry = { ...emptyEntry, url, image, actions: actions.map((action) => ({ ...action, title: '' })) }
  return { ...content, entries: [...content.entries, { locale, entry }] }
}

/** Removes a language, but never the last one. When the default language is removed, the first of the others becomes the default. */
export function removeLocale(content: ContentDraft, locale: string): ContentDraft {
  const entries = content.entries.filter((one) => one.locale !== locale)
  const [first] = entries
  if (!first) return content
  return { fallback: content.fallback === locale ? first.locale : content.fallback, entries }
}

/** Gives an id for a new button that no other button of the language has. */
export function newActionId(actions: readonly ActionDraft[]): string {
  for (let number = actions.length + 1; ; number += 1) {
    const id = `action-${number}`
    if (!actions.some((action) => action.id === id)) return id
  }
}

/** Says whether nothing is written in any language. */
export const isBlank = ({ entries }: ContentDraft): boolean =>
  entries.every(
    ({ entry }) => entry.title === '' && entry.body === '' && entry.url === '' && entry.image === '' && entry.actions.length === 0,
  )
