import type { FrozenSend } from '@herald/contracts/batch'
import { localesOf, namesUsed, textsOf } from '@herald/contracts/content'
import type { NamesUsed } from '@herald/contracts/placeholder'

/** What a send needs to know of its recipients, beside where they are reached. */
export type NamesOfSend = NamesUsed & {
  /** It has several locales. */
  language: boolean
  /** It has placeholders that may show a time: only the filter `date` does. */
  timezone: boolean
}

/** What the texts of a send name of people and devices, those of its variants too. */
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

/** Whether anything of this is kept with the user: most sends can do without a look at them. */
export const namesUser = ({ user, tags, language, timezone }: NamesOfSend): boolean =>
  language || timezone || tags.length > 0 || user.some((name) => name !== 'id')
