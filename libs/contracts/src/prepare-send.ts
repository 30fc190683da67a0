import type { FrozenSend, Recipient } from './batch.ts'
import { chooseLocale, localesOf, textsOf, type Content, type LocaleEntry } from './content.ts'
import { variantOf } from './experiment.ts'
import { encodePush, type EncodedPush } from './payload.ts'
import { preparePayload, type PayloadForm } from './payload-form.ts'
import type { PlaceholderValues } from './placeholder.ts'
import type { Platform } from './platform.ts'
import { compileEntry, type EntryRenderer, type NoteOfRender } from './render-entry.ts'

/** A send that is ready for many pushes: the text of each variant and locale is compiled once, not for each push. */
export type PreparedSend = {
  send: FrozenSend
  /** Gives the id of the variant that a user gets; empty without an experiment. */
  variantFor(userId: string): string
  /**
   * Gives the locale and text of a device, filled in but not cut to the platform's limit. Both are null for a silent push; undefined when no text is
   * left. `note` gets each thing left out or cut.
   */
  shownTo(recipient: Recipient, variant: string, note?: NoteOfRender): ShownEntry | undefined
  /**
   * Makes a device's request body, in the user's language; undefined when nothing is left of the text. `ttlSeconds` is for FCM alone. `limit`: for a
   * device that takes fewer bytes. `recalled`: as in `Push`.
   */
  payloadFor(
    platform: Platform,
    recipient: Recipient,
    variant: string,
    msgId: string,
    ttlSeconds: number,
    limit?: number,
    recalled?: string,
  ): EncodedPush | undefined
}

export type ShownEntry = { locale: string; entry: LocaleEntry } | { locale: null; entry: null }

/** The compiled text of one locale of a variant. */
type Shown = {
  locale: string
  entry: LocaleEntry
  render: EntryRenderer
  varies: 'nothing' | 'texts' | 'more'
  forms: Map<Platform, PayloadForm>
}

/** Prepares a frozen send for the pushes of all its devices. */
export function prepareSend(send: FrozenSend, now: () => Date = () => new Date()): PreparedSend {
  const { campaignId, experiment } = send
  const contents = new Map(experiment?.variants.map(({ id, content }) => [id, content]))
  const shownBy = new Map<Content, { only: Shown | undefined; byLocale: Map<string, Shown> }>()
  const silentForms: Shown['forms'] = new Map()

  const localeFor = (content: Content, language: string | null): Shown => {
    let known = shownBy.get(content)
    if (!known) {
      const locales = localesOf(content).map(([locale, entry]) => [locale, prepareEntry(locale, entry)] as const)
      known = { only: locales.length === 1 ? locales[0]?.[1] : undefined, byLocale: new Map(locales) }
      shownBy.set(content, known)
    }
    if (known.only) return known.only
    const { locale, entry } = chooseLocale(content, language)
    return known.byLocale.get(locale) ?? prepareEntry(locale, entry)
  }
  /** Finds the compiled text for a recipient; null for a silent push. */
  const shownOf = (recipient: Recipient, variant: string): Shown | null => {
    const content = contents.get(variant) ?? send.content
    return send.silent || content === null ? null : localeFor(content, recipient.language)
  }

  return {
    send,
    variantFor: (userId) => (experiment ? variantOf(experiment.variants, campaignId, userId).id : ''),
    shownTo(recipient, variant, note) {
      const shown = shownOf(recipient, variant)
      if (!shown) return send.silent ? { locale: null, entry: null } : undefined
      const entry = shown.varies === 'nothing' ? shown.entry : shown.render(valuesOf(send, recipient, now()), note)
      return entry && { locale: shown.locale, entry }
    },
    payloadFor(platform, recipient, variant, msgId, ttlSeconds, limit, recalled) {
      const shown = shownOf(recipient, variant)
      if (!shown && !send.silent) return undefined
      const entry = !shown || shown.varies === 'nothing' ? (shown?.entry ?? null) : shown.render(valuesOf(send, recipient, now()))
      if (entry === undefined) return undefined
      if (recipient.badge !== undefined)
        return encodePush(platform, { msgId, entry, send: withBadge(send, recipient.badge) }, recipient.address, ttlSeconds, limit)
      if (shown?.varies === 'more' || limit !== undefined || recalled !== undefined)
        return encodePush(platform, { msgId, recalled, entry, send }, recipient.address, ttlSeconds, limit)
      const forms = shown?.forms ?? silentForms
      let form = forms.get(platform)
      if (!form) forms.set(platform, (form = preparePayload(platform, shown?.entry ?? null, send, shown?.varies === 'texts')))
      return form(msgId, recipient.address, ttlSeconds, entry)
    },
  }
}

const withBadge = (send: FrozenSend, badge: number): FrozenSend => ({ ...send, presentation: { ...send.presentation, badge } })

function prepareEntry(locale: string, entry: LocaleEntry): Shown {
  const varies = (texts: string[]) => texts.some((text) => text.includes('{{'))
  const others = textsOf({ ...entry, title: '', body: '' })
  return {
    locale,
    entry,
    render: compileEntry(entry),
    varies: varies(others) ? 'more' : varies([entry.title, entry.body]) ? 'texts' : 'nothing',
    forms: new Map(),
  }
}

/** Gives the values that the placeholders of a send may read. Audience has filled in only those that the content names. */
const valuesOf = (send: FrozenSend, { user, tags, subscription, timezone }: Recipient, now: Date): PlaceholderValues => ({
  user,
  tags,
  subscription,
  timezone: timezone ?? send.defaultTimezone ?? null,
  data: send.data,
  campaign: { id: send.campaignId, name: send.name },
  now,
})
