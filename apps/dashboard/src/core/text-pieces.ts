import { parseTemplate } from '@herald/contracts/placeholder'
import { findClosing } from '@herald/contracts/placeholder-syntax'

/** A piece of a text while it is typed: a placeholder (`tag`), a placeholder with a mistake (`faulty`), or other text. */
export type TextPiece = { text: string; is: 'plain' | 'tag' | 'faulty' }
export type MarkedText = { pieces: TextPiece[]; fault: string | undefined }

/** Cuts a text at its placeholders. `fault` says what is wrong with the first placeholder that cannot be read. */
export function markTags(text: string): MarkedText {
  if (!text.includes('{{') && !text.includes('{%')) return { pieces: [{ text, is: 'plain' }], fault: undefined }
  const template = parseTemplate(text)
  const faulty = template.ok ? undefined : template
  const pieces: TextPiece[] = []
  let at = 0
  while (at < text.length) {
    const next = text.indexOf('{{', at)
    const open = faulty && (next === -1 || faulty.from <= next) ? faulty.from : next
    if (open === -1) break
    const end = open === faulty?.from ? faulty.to : findClosing(text, open + 2) + 2
    if (open > at) pieces.push({ text: text.slice(at, open), is: 'plain' })
    pieces.push({ text: text.slice(open, end), is: open === faulty?.from ? 'faulty' : 'tag' })
    at = end
    // Nothing is marked after the first placeholder with a mistake.
    if (open === faulty?.from) break
  }
  if (at < text.length) pieces.push({ text: text.slice(at), is: 'plain' })
  return { pieces, fault: faulty?.message }
}
