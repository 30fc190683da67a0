import { contentOfDraft, entryOf, type ContentDraft } from './content-draft.ts'
import { measure } from './measure.ts'
import { valuesOf, type Person } from './person.ts'
import { optionsOfDraft, type OptionsBody, type OptionsDraft } from './send-options-draft.ts'
import type { Content, LocaleEntry } from '@herald/contracts/content'

/** Writes a filled-in text as a template that renders to exactly this text, even when it contains `{{`. */
const literal = (text: string): string => text.replace(/\{(?=[{%])/g, '{{ "{" }}')

const literalEntry = ({ title, body, url, image, actions }: LocaleEntry): LocaleEntry => ({
  title: literal(title),
  body: literal(body),
  ...(url === undefined ? {} : { url: literal(url) }),
  ...(image === undefined ? {} : { image: literal(image) }),
  ...(actions === undefined
    ? {}
    : {
        actions: actions.map((action) => ({
          ...action,
          title: literal(action.title),
          ...(action.url === undefined ? {} : { url: literal(action.url) }),
        })),
      }),
})

/**
 * Gives the body of a test that shows on a device what is on screen: one language, filled in for the chosen user. Gives undefined when the text is
 * empty for that user.
 */
export function testOnScreen(
  content: ContentDraft,
  locale: string,
  person: Person,
  options: OptionsDraft,
  about: { name: string; zone: string; now: Date },
): (OptionsBody & { content: Content }) | undefined {
  const { data = {}, ...rest } = optionsOfDraft(options)
  const values = valuesOf(person, {
    platform: 'ios',
    data,
    campaign: { id: '000000000000000000000003', name: about.name },
    zone: about.zone,
    now: about.now,
  })
  // The text is filled in as that of an audible push without data, so none of it is cut to make room for data: Herald cuts it for each device.
  const send = { campaignId: '', silent: false, data: {}, collapseId: null, priority: 'high' as const, presentation: null }
  const { shown } = measure('ios', entryOf(content, locale), values, { send, ttlSeconds: 0 })
  return shown === null ? undefined : { ...rest, data, content: { _default: locale, [locale]: literalEntry(shown) } }
}

/** Gives the body of a test that each device gets as its owner would: all languages, filled in for the owner. */
export const testAsOwner = (content: ContentDraft, options: OptionsDraft): OptionsBody & { content: Content } => ({
  ...optionsOfDraft(options),
  content: contentOfDraft(content),
})
