/** A part of an answer that goes on: whole lines, and how many of them are counted (the last line of an export is not). */
export type Portion = { text: string; count: number }
export type Portions = AsyncIterable<Portion>

/** Lines of an export, each a JSON object with its `type`. */
export const portionOf = (type: string, objects: readonly object[]): Portion => ({
  text: objects.map((object) => `${JSON.stringify({ type, ...object })}\n`).join(''),
  count: objects.length,
})

/** An export as it is answered: what there is, and at last a line that says how many there were before it. An answer without that line was cut off. */
export async function* ended(portions: Portions): Portions {
  let count = 0
  for await (const portion of portions) {
    count += portion.count
    // A page that held nothing is no part of the answer.
    if (portion.count > 0) yield portion
  }
  yield { text: `${JSON.stringify({ type: 'end', count })}\n`, count: 0 }
}
