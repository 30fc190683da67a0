import { countCodePoints, firstCodePoints } from './text.ts'

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Gives the last place at or before `at` where a text may be cut without splitting a grapheme. A grapheme is what a reader takes for one character
 * (an emoji of a flag or a family, é).
 */
export function graphemeBoundary(text: string, at: number): number {
  if (at >= text.length) return text.length
  return segmenter.segment(text).containing(at)?.index ?? 0
}

/** Gives how many UTF-16 units the first `count` graphemes take, or the length of the text when it has fewer graphemes. */
export function lengthOfGraphemes(text: string, count: number): number {
  if (text.length <= count) return text.length
  let seen = 0
  for (const { index } of segmenter.segment(text)) {
    if (seen++ === count) return index
  }
  return text.length
}

/** Cuts a text of more than `max` code points at a grapheme boundary and ends it with `…`. The result has at most `max` code points. */
export function cutText(text: string, max: number): string {
  if (text.length <= max || countCodePoints(text) <= max) return text
  return `${text.slice(0, graphemeBoundary(text, firstCodePoints(text, max - 1).length)).trimEnd()}…`
}
