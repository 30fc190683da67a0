import type { FrozenSend } from '@herald/contracts/batch'
import { namesUsed } from '@herald/contracts/content'
import type { NamesUsed } from '@herald/contracts/placeholder'

/** What the texts of a send name of people and devices, those of its variants too. */
export function namesOfSend({ content, experiment }: Pick<FrozenSend, 'content' | 'experiment'>): NamesUsed {
  const contents = [content, ...(experiment?.variants.map((variant) => variant.content) ?? [])]
  const used = contents.flatMap((texts) => (texts ? [namesUsed(texts)] : []))
  const named = (of: keyof NamesUsed): string[] => [...new Set(used.flatMap((names) => names[of]))]
  return { user: named('user'), tags: named('tags'), subscription: named('subscription') }
}
