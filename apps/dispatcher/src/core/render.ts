import type { FrozenSend, Recipient } from '@herald/contracts/batch'
import { chooseLocale, type LocaleEntry } from '@herald/contracts/content'
import { variantOf } from '@herald/contracts/experiment'
import type { PlaceholderValues } from '@herald/contracts/placeholder'
import { compileEntry, type EntryRenderer } from '@herald/contracts/render-entry'

/** A send whose content is compiled, by variant and locale, as its recipients need it: once per send and process, not per push. */
export type PreparedSend = {
  send: FrozenSend
  /** The id of the experiment's variant that a user gets, empty without an experiment. */
  variantFor(userId: string): string
  /** What a device is shown of a variant, in its user's language; null: nothing, it is silent; undefined: nothing is left of the text. */
  entryFor(recipient: Recipient, variant: string, now: Date): LocaleEntry | null | undefined
}

/** Prepares a frozen send. */
export function prepareSend(send: FrozenSend): PreparedSend {
  const { campaignId, experiment } = send
  const contents = new Map(experiment?.variants.map(({ id, content }) => [id, content]))
  const renderers = new Map<string, EntryRenderer>()
  return {
    send,
    variantFor: (userId) => (experiment ? variantOf(experiment.variants, campaignId, userId).id : ''),
    entryFor(recipient, variant, now) {
      const content = contents.get(variant) ?? send.content
      if (send.silent || content === null) return null
      const { locale, entry } = chooseLocale(content, recipient.language)
      const key = `${variant}/${locale}`
      let render = renderers.get(key)
      if (!render) {
        render = compileEntry(entry)
        renderers.set(key, render)
      }
      return render(valuesOf(send, recipient, now))
    },
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
