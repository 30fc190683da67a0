/** A part of an answer that goes on: whole lines, and how many of them are counted (the last line of an export is not). */
export type Portion = { text: string; count: number }
export type Portions = AsyncGenerator<Portion, void, undefined>

/** Lines of an export, each a JSON object with its `type`. */
export const portionOf = (type: string, objects: readonly object[]): Portion => ({
  text: objects.map((object) => `${JSON.stringify({ type, ...object })}\n`).join(''),
  count: objects.length,
})
