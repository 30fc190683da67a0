import type { FrozenSend, Recipient } from '@herald/contracts/batch'
import { chooseLocale, localesOf, textsOf, type Content, type LocaleEntry } from '@herald/contracts/content'
import { variantOf } from '@herald/contracts/experiment'
import { encodePush, type EncodedPush } from '@herald/contracts/payload'
import { preparePayload, type PayloadForm } from '@herald/contracts/payload-form'
import type { PlaceholderValues } from '@herald/contracts/placeholder'
import type { Platform } from '@herald/contracts/platform'
import { compileEntry, type EntryRenderer } from '@herald/contracts/render-entry'

/** A send whose content is compiled, by variant and locale, as its recipients need it: once per send and process, not per push. */
export type PreparedSend = {
  send: FrozenSend
  /** The id of the experiment's variant that a user gets, empty without an experiment. */
  variantFor(userId: string): string
  /** The request body of a device's push, in its user's language; undefined: nothing is left of the text. `ttlSeconds` is FCM's alone. */
  payloadFor(platform: Platform, recipient: Recipient, variant: string, msgId: string, ttlSeconds: number): EncodedPush | undefined
}

/** One locale of a variant. */
type Shown = { entry: LocaleEntry; render: EntryRenderer; varies: 'nothing' | 'texts' | 'more'; forms: Map<Platform, PayloadForm> }

/** Prepares a frozen send. */
export function prepareSend(send: FrozenSend, now: () => Date = () => new Date()): PreparedSend {
  const { campaignId, experiment } = send
  const contents = new Map(experiment?.variants.map(({ id, content }) => [id, content]))
  const shownBy = new Map<Content, { only: Shown | undefined; byLocale: Map<string, Shown> }>()
  const silentForms: Shown['forms'] = new Map()

  const shownTo = (content: Content, language: string | null): Shown => {
    let known = shownBy.get(content)
    if (!known) {
      const locales = localesOf(content).map(([locale, entry]) => [locale, prepareEntry(entry)] as const)
      known = { only: locales.length === 1 ? locales[0]?.[1] : undefined, byLocale: new Map(locales) }
      shownBy.set(content, known)
    }
    if (known.only) return known.only
    const { locale, entry } = chooseLocale(content, language)
    return known.byLocale.get(locale) ?? prepareEntry(entry)
  }
  /** Null: the push is silent. */
  const shownOf = (recipient: Recipient, variant: string): Shown | null => {
    const content = contents.get(variant) ?? send.content
    return send.silent || content === null ? null : shownTo(content, recipient.language)
  }

  return {
    send,
    variantFor: (userId) => (experiment ? variantOf(experiment.variants, campaignId, userId).id : ''),
    payloadFor(platform, recipient, variant, msgId, ttlSeconds) {
      const shown = shownOf(recipient, variant)
      if (!shown && !send.silent) return undefined
      const entry = !shown || shown.varies === 'nothing' ? (shown?.entry ?? null) : shown.render(valuesOf(send, recipient, now()))
      if (entry === undefined) return undefined
      if (shown?.varies === 'more') return encodePush(platform, { msgId, entry, send }, recipient.address, ttlSeconds)
      const forms = shown?.forms ?? silentForms
      let form = forms.get(platform)
      if (!form) forms.set(platform, (form = preparePayload(platform, shown?.entry ?? null, send, shown?.varies === 'texts')))
      return form(msgId, recipient.address, ttlSeconds, entry)
    },
  }
}

function prepareEntry(entry: LocaleEntry): Shown {
  const varies = (texts: string[]) => texts.some((text) => text.includes('{{'))
  const others = textsOf({ ...entry, title: '', body: '' })
  return {
    entry,
    render: compileEntry(entry),
    varies: varies(others) ? 'more' : varies([entry.title, entry.body]) ? 'texts' : 'nothing',
    forms: new Map(),
  }
}

/** What the placeholders of a send may read: audience fills only what its content names. */
const valuesOf = (send: FrozenSend, { user, tags, subscription, timezone }: Recipient, now: Date): PlaceholderValues => ({
  user,
  tags,
  subscription,
  timezone: timezone ?? send.defaultTimezone ?? null,
  data: send.data,
  campaign: { id: send.campaignId, name: send.name },
  now,
})
