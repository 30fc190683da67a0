/** A part of a streamed export. `text`: complete lines. `count`: how many of these lines count as exported; the closing `end` line does not. */
export type Portion = { text: string; count: number }
export type Portions = AsyncGenerator<Portion, void, undefined>

/** Writes objects as lines of an export, each a JSON object with its `type`. */
export const portionOf = (type: string, objects: readonly object[]): Portion => ({
  text: objects.map((object) => `${JSON.stringify({ type, ...object })}\n`).join(''),
  count: objects.length,
})

export async function* textsOf(portions: Portions): AsyncGenerator<string> {
  for await (const { text } of portions) yield text
}
