import type { FrozenSend } from '@herald/contracts/batch'
import { localesOf, namesUsed, textsOf } from '@herald/contracts/content'
import type { NamesUsed } from '@herald/contracts/placeholder'

/** The fields of users and devices that the texts of a send name. */
export type NamesOfSend = NamesUsed & {
  /** Whether the send has texts in several languages, so that the user's language chooses one. */
  language: boolean
  /** Whether a text may show a time, so that the user's time zone is needed. Only the placeholder filter `date` shows a time. */
  timezone: boolean
}

/** Finds the fields that the texts of a send and of its variants name. */
export function namesOfSend({ content, experiment }: Pick<FrozenSend, 'content' | 'experiment'>): NamesOfSend {
  const contents = [content, ...(experiment?.variants.map((variant) => variant.content) ?? [])].filter((texts) => texts !== null)
  const used = contents.map(namesUsed)
  const named = (of: keyof NamesUsed): string[] => [...new Set(used.flatMap((names) => names[of]))]
  const entries = contents.flatMap((texts) => localesOf(texts).map(([, entry]) => entry))
  return {
    user: named('user'),
    tags: named('tags'),
    subscription: named('subscription'),
    language: contents.some((texts) => localesOf(texts).length > 1),
    timezone: entries.some((entry) => textsOf(entry).some((text) => text.includes('{{') && text.includes('date'))),
  }
}

/** Whether any of these fields is a column of the user's row. For most sends none is, and audience reads no users. */
export const namesUser = ({ user, tags, language, timezone }: NamesOfSend): boolean =>
  language || timezone || tags.length > 0 || user.some((name) => name !== 'id')
