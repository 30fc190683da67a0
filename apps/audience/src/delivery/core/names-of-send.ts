import type { FrozenSend } from '@herald/contracts/batch'
import { categoryObeyed } from '../../sends/core/queueing.ts'
import type { FrozenCategory } from '@herald/contracts/category'
import { localesOf, namesUsed, textsOf } from '@herald/contracts/content'
import type { NamesUsed } from '@herald/contracts/placeholder'

/** The fields of users and devices that the texts of a send name. */
export type NamesOfSend = NamesUsed & {
  /** Whether the send has texts in several languages, so that the user's language chooses one. */
  language: boolean
  /** Whether a text may show a time, so that the user's time zone is needed. Only the placeholder filter `date` shows a time. */
  timezone: boolean
  /** The category of the send that people may be outside of; absent in most sends. */
  category?: FrozenCategory
}

type SendToRead = Pick<FrozenSend, 'content' | 'experiment'> & Partial<Pick<FrozenSend, 'silent' | 'test' | 'recall' | 'category'>>

/** Finds the fields that the texts of a send and of its variants name, and the category that the send obeys. */
export function namesOfSend(send: SendToRead): NamesOfSend {
  const { content, experiment } = send
  const category = categoryObeyed(send)
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
    ...(category ? { category } : {}),
  }
}

/** Whether any of these fields is a column of the user's row. For most sends none is, and audience reads no users. */
export const namesUser = ({ user, tags, language, timezone, category }: NamesOfSend): boolean =>
  language || timezone || category !== undefined || tags.length > 0 || user.some((name) => name !== 'id')
