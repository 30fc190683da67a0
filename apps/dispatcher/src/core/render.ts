import type { FrozenSend, Recipient } from '@herald/contracts/batch'
import { chooseLocale, type LocaleEntry } from '@herald/contracts/content'
import type { PlaceholderValues } from '@herald/contracts/placeholder'
import { compileEntry, type EntryRenderer } from '@herald/contracts/render-entry'

/** A send whose content is compiled, locale by locale, as its recipients need it: once per send and process, not per push. */
export type PreparedSend = {
  send: FrozenSend
  /** What a device is shown, in its user's language; null: nothing, it is silent; undefined: nothing is left of the text. */
  entryFor(recipient: Recipient, now: Date): LocaleEntry | null | undefined
}

/** Prepares a frozen send. */
export function prepareSend(send: FrozenSend): PreparedSend {
  const renderers = new Map<string, EntryRenderer>()
  return {
    send,
    entryFor(recipient, now) {
      if (send.silent || send.content === null) return null
      const { locale, entry } = chooseLocale(send.content, recipient.language)
      let render = renderers.get(locale)
      if (!render) {
        render = compileEntry(entry)
        renderers.set(locale, render)
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
