import { namesUsedIn, parseTemplate } from '@herald/contracts/placeholder'
import type { KnownTag } from './complete-placeholder.ts'

/** The list of tags that a page reads has at most this many. With as many there may be more, so none is called unknown. */
const mostListed = 200

/**
 * Says which tags in a text no user of the app has, and which data the message has not: as a rule they are misspelt, and their place stays empty.
 * Undefined when all are known, or the app's tags are.
 */
export function unknownNames(text: string, tags: readonly KnownTag[], dataKeys: readonly string[]): string | undefined {
  if (!text.includes('{{')) return undefined
  const isListed = tags.length > 0 && tags.length < mostListed
  const unknownTags = isListed ? namesUsedIn([text]).tags.filter((name) => !tags.some((tag) => tag.name === name)) : []
  const unknownData = dataIn(text).filter((key) => !dataKeys.includes(key))
  const notes = [
    ...unknownTags.map((name) => `No user of this app has the tag “${name}”.`),
    ...unknownData.map((key) => `This message has no data “${key}”.`),
  ]
  return notes.length === 0 ? undefined : notes.join(' ')
}

function dataIn(text: string): string[] {
  const template = parseTemplate(text)
  if (!template.ok) return []
  const keys = template.parts.flatMap((part) => {
    if (typeof part === 'string') return []
    const operands = [part.operand, ...part.filters.flatMap(({ args }) => args)]
    return operands.flatMap((operand) => (operand.is === 'path' && operand.root === 'data' ? [operand.name] : []))
  })
  return [...new Set(keys)]
}
