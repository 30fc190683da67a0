import { z } from 'zod'
import { maxAddressLength, whyNotImage, whyNotLink } from './address.ts'
import { costOf, namesUsedIn, parseTemplate, whyNotTemplate, type NamesUsed } from './placeholder.ts'
import { canonicalLocale, namesOfLanguage, sentence, text, withPresentCode } from './text.ts'

export const maxTitleLength = 250
export const maxBodyLength = 2000
export const maxActionTitleLength = 50
const maxContentBytes = 64 * 1024
const maxLocales = 100
/** See `checkCost`. Found by placeholder-cost.test.ts: the dearest content with this cost takes 2 ms of CPU for a push. */
export const maxContentCost = 150_000

/** A text that may hold placeholders. The placeholders are checked here, so that an error has the path of the field. */
const template = (max: number) => sentence(1, max).superRefine(checkTemplate)

function checkTemplate(value: string, context: z.RefinementCtx): void {
  const message = whyNotTemplate(value)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
}

/**
 * An address that may hold placeholders. This check puts `1` in their place, which is valid as host, port and part of a path. A field that begins
 * with a placeholder is checked when the push is rendered.
 */
const address = (whyNot: (value: string) => string | undefined) =>
  text(1, maxAddressLength).superRefine((value, context) => {
    const parsed = parseTemplate(value)
    if (!parsed.ok) return context.addIssue({ code: 'custom', message: parsed.message })
    if (typeof parsed.parts[0] !== 'string') return undefined
    const message = whyNot(parsed.parts.map((part) => (typeof part === 'string' ? part : '1')).join(''))
    return message === undefined ? undefined : context.addIssue({ code: 'custom', message })
  })

/** A button of a notification. */
export const Action = z.strictObject({
  id: z
    .string()
    .refine((id) => /^[A-Za-z0-9_.-]{1,64}$/.test(id), 'must be 1 to 64 letters, digits or _ . -')
    .meta({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
  title: template(maxActionTitleLength),
  url: address(whyNotLink).optional(),
})
export type Action = z.output<typeof Action>

/** What a device shows, in one language. */
export const LocaleEntry = z
  .strictObject({
    title: template(maxTitleLength),
    body: template(maxBodyLength),
    url: address(whyNotLink).optional(),
    image: address(whyNotImage).optional(),
    actions: z.array(Action).max(4).superRefine(checkActionIds).optional(),
  })
  .superRefine(checkCost)
export type LocaleEntry = z.output<typeof LocaleEntry>

/**
 * Refuses content that would take long to fill in for each push (spec: content/cost). The cost is a sum over all tags: one and the number of the tag's
 * filters, times the characters that its field may have.
 */
function checkCost({ title, body, url = '', image = '', actions = [] }: LocaleEntry, context: z.RefinementCtx): void {
  const fields: [text: string, limit: number][] = [
    [title, maxTitleLength],
    [body, maxBodyLength],
    [url, maxAddressLength],
    [image, maxAddressLength],
    ...actions.flatMap((action): [string, number][] => [
      [action.title, maxActionTitleLength],
      [action.url ?? '', maxAddressLength],
    ]),
  ]
  const cost = fields.reduce((sum, [text, limit]) => sum + costOf(text, limit), 0)
  if (cost <= maxContentCost) return
  const message = `has placeholders that cost ${cost} to fill in; at most ${maxContentCost} (each tag and filter costs the characters its field may have): use fewer filters and tags`
  context.addIssue({ code: 'custom', message })
}

function checkActionIds(actions: Action[], context: z.RefinementCtx): void {
  const seen = new Set<string>()
  actions.forEach(({ id }, place) => {
    if (seen.has(id))
      context.addIssue({ code: 'custom', message: 'is the id of an earlier action; ids must be unique', path: [place, 'id'] })
    seen.add(id)
  })
}

/** A content map, as it is kept and answered: a locale entry for each locale, and `_default`, which names one of these locales. */
export const ContentMap = z.object({ _default: z.string() }).catchall(LocaleEntry)
/** The same with the locales under one key, for languages whose types cannot have a text and objects side by side. */
export const ContentByLocale = z.strictObject({ default: z.string(), locales: z.record(z.string(), LocaleEntry) })
export type Content = { _default: string; [locale: string]: LocaleEntry | string }

// One object and no union, so that each error has the path of the form that was given.
/** Checks content in either form, and gives a map with its locales in canonical form (`pt_br` → `pt-BR`) (spec: content/locale-form, content/by-locale). */
export const Content = z
  .object({ ...ContentMap.partial().shape, ...ContentByLocale.partial().shape })
  .catchall(LocaleEntry)
  .superRefine(checkContent)
  .transform((given): Content => {
    const { fallback = '', entries } = partsOf(given)
    const canonical: Content = { _default: canonicalLocale(fallback) ?? fallback }
    for (const [locale, entry] of Object.entries(entries)) canonical[canonicalLocale(locale) ?? locale] = entry
    return canonical
  })

type GivenContent = { _default?: string | undefined; default?: string | undefined; locales?: Record<string, LocaleEntry> | undefined }
type PartsOfContent = { isByLocale: boolean; fallback: string | undefined; entries: Record<string, LocaleEntry>; others: string[] }

/** Takes a content of either form apart. `others` are keys that belong to the other form or to none. */
function partsOf({ _default, default: named, locales, ...rest }: GivenContent): PartsOfContent {
  const beside = rest as Record<string, LocaleEntry>
  if (_default === undefined && (named !== undefined || locales !== undefined))
    return { isByLocale: true, fallback: named, entries: locales ?? {}, others: Object.keys(beside) }
  const others = Object.entries({ default: named, locales }).flatMap(([key, value]) => (value === undefined ? [] : [key]))
  return { isByLocale: false, fallback: _default, entries: beside, others }
}

function checkContent(content: GivenContent, context: z.RefinementCtx): void {
  const { isByLocale, fallback: named, entries, others } = partsOf(content)
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', message, path })
  const [keyOfDefault, above] = isByLocale ? ['default', ['locales']] : ['_default', []]
  for (const key of others) refuse([key], isByLocale ? 'is not a known field' : 'must not be given together with _default')
  if (isByLocale && content.locales === undefined) return refuse(['locales'], 'is required')
  const seen = new Map<string, string>()
  for (const locale of Object.keys(entries)) {
    const canonical = canonicalLocale(locale)
    if (canonical === undefined)
      refuse([...above, locale], 'is not a locale: a language, then perhaps a script and a region, such as en, pt-BR or zh-Hant-TW')
    else if (seen.has(canonical)) refuse([...above, locale], `is the same locale as ${seen.get(canonical)}; keep one of them`)
    else seen.set(canonical, locale)
  }
  if (seen.size > maxLocales) refuse([], `must hold at most ${maxLocales} locales`)
  if (named === undefined) refuse([keyOfDefault], 'is required')
  else if (!seen.has(canonicalLocale(named) ?? '')) refuse([keyOfDefault], 'must name one of the locales present')
  if (Buffer.byteLength(JSON.stringify(content)) > maxContentBytes) refuse([], `must be at most ${maxContentBytes} bytes as JSON`)
  return undefined
}

/** Gives the locale entries of a content map, without `_default`. */
export const localesOf = (content: Content): [locale: string, entry: LocaleEntry][] =>
  Object.entries(content).filter((pair): pair is [string, LocaleEntry] => typeof pair[1] === 'object')

/**
 * Chooses the entry for a language (RFC 4647 lookup): the exact tag, then without its last subtag, in the end `_default`. Old codes are replaced here
 * too: either side may be stored from before (spec: identity/old-language-codes).
 */
export function chooseLocale(content: Content, language: string | null | undefined): { locale: string; entry: LocaleEntry } {
  for (let range = withPresentCode(language ?? ''); range !== ''; range = withoutLastSubtag(range)) {
    for (const locale of namesOfLanguage(range)) {
      const entry = Object.hasOwn(content, locale) ? content[locale] : undefined
      if (typeof entry === 'object') return { locale, entry }
    }
  }
  const { _default: fallback } = content
  const entry = content[fallback]
  if (typeof entry !== 'object') throw new TypeError('a content map names a default locale that it does not hold')
  return { locale: fallback, entry }
}

const withoutLastSubtag = (range: string): string => range.slice(0, Math.max(0, range.lastIndexOf('-')))

/** Gives every text of a locale entry that may hold placeholders. */
export const textsOf = (entry: LocaleEntry): string[] =>
  [entry.title, entry.body, entry.url, entry.image, ...(entry.actions ?? []).flatMap((action) => [action.title, action.url])].filter(
    (value) => value !== undefined,
  )

/** Finds which fields of users and devices and which tags the placeholders of a content map read, in any of its locales. */
export const namesUsed = (content: Content): NamesUsed => namesUsedIn(localesOf(content).flatMap(([, entry]) => textsOf(entry)))
