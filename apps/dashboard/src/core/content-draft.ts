import type { Content, LocaleEntry } from '@herald/contracts/content'

/** A button while it is written: an empty text is a field that is left out. `key` tells rows apart that are moved. */
export type ActionDraft = { id: string; title: string; url: string }
/** A text in one language while it is written; every field is a text, so that nothing typed is lost. */
export type EntryDraft = { title: string; body: string; url: string; image: string; actions: readonly ActionDraft[] }
/** A content map while it is written. The locales stay in the order in which they were added, the default first when it is read. */
export type ContentDraft = { fallback: string; entries: readonly { locale: string; entry: EntryDraft }[] }

export const emptyEntry: EntryDraft = { title: '', body: '', url: '', image: '', actions: [] }
export const emptyContent = (locale = 'en'): ContentDraft => ({ fallback: locale, entries: [{ locale, entry: emptyEntry }] })

/** A content map as the editor holds it. */
export function draftOfContent(content: Content): ContentDraft {
  const { _default: fallback, ...locales } = content
  const isDefault = ({ locale }: { locale: string }) => locale === fallback
  const entries = Object.entries(locales).flatMap(([locale, entry]) =>
    typeof entry === 'object' ? [{ locale, entry: draftOfEntry(entry) }] : [],
  )
  // The default first: a database gives the others back in an order of its own.
  return { fallback, entries: [...entries.filter(isDefault), ...entries.filter((one) => !isDefault(one))] }
}

function draftOfEntry({ title, body, url = '', image = '', actions = [] }: LocaleEntry): EntryDraft {
  return { title, body, url, image, actions: actions.map(({ url: link = '', ...action }) => ({ ...action, url: link })) }
}

/** The content map that the editor shows, as it is sent and kept. It may still be refused: what is wrong is said by the contracts. */
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

/** The text of a locale, or the default one's. */
export function entryOf({ entries, fallback }: ContentDraft, locale: string): EntryDraft {
  const found = entries.find((one) => one.locale === locale) ?? entries.find((one) => one.locale === fallback) ?? entries[0]
  return found?.entry ?? emptyEntry
}

/** Changes fields of one locale's text. */
export const changeEntry = (content: ContentDraft, locale: string, change: Partial<EntryDraft>): ContentDraft => ({
  ...content,
  entries: content.entries.map((one) => (one.locale === locale ? { locale, entry: { ...one.entry, ...change } } : one)),
})

/** Adds a locale. It begins empty: a copy of another language would be sent unread. Link, picture and the buttons' ids are the same in most languages. */
export function addLocale(content: ContentDraft, locale: string): ContentDraft {
  if (content.entries.some((one) => one.locale === locale)) return content
  const { url, image, actions } = entryOf(content, content.fallback)
  const entry = { ...emptyEntry, url, image, actions: actions.map((action) => ({ ...action, title: '' })) }
  return { ...content, entries: [...content.entries, { locale, entry }] }
}

/** Takes a locale away; the last one stays. The default one's place is taken by the first that is left. */
export function removeLocale(content: ContentDraft, locale: string): ContentDraft {
  const entries = content.entries.filter((one) => one.locale !== locale)
  const [first] = entries
  if (!first) return content
  return { fallback: content.fallback === locale ? first.locale : content.fallback, entries }
}

/** An id for a new button that its locale does not have yet. */
export function newActionId(actions: readonly ActionDraft[]): string {
  for (let number = actions.length + 1; ; number += 1) {
    const id = `action-${number}`
    if (!actions.some((action) => action.id === id)) return id
  }
}

/** Whether nothing was written yet in any language. */
export const isBlank = ({ entries }: ContentDraft): boolean =>
  entries.every(
    ({ entry }) => entry.title === '' && entry.body === '' && entry.url === '' && entry.image === '' && entry.actions.length === 0,
  )
