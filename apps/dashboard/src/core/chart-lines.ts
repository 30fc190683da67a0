/**
 * The dashes of a chart's lines, in pixels: a solid line, dashes, dots, and dashes and dots in turn. With them lines differ by more than their
 * colour.
 */
const dashes: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [14, 4, 2, 4]]

/** Gives the dashes of a line by its place among the lines of the chart. */
export const dashesOf = (place: number): number[] => [...(dashes[place % dashes.length] ?? [])]

/**
 * Gives the places of values that a line hardly shows, which are drawn as dots: a value above 0 between zeros or at an end beside a zero, and the
 * only value of a chart.
 */
export const lonePlaces = (values: readonly number[]): number[] =>
  [...values.keys()].filter((place) => {
    const isLone = (values[place - 1] ?? 0) === 0 && (values[place + 1] ?? 0) === 0
    return values.length === 1 || (isLone && values[place] !== 0)
  })

/** A chart with only one value shows this many seconds before and after it. */
const aroundSeconds = 600

/** Gives the first and the last second that a chart shows: half a step more at an end where a dot would stand on the edge. */
export function spanOfTimes(x: readonly number[], lines: readonly (readonly number[])[]): [number, number] {
  const [first = 0, last = first] = [x[0], x.at(-1)]
  if (x.length < 2) return [first - aroundSeconds, last + aroundSeconds]
  const margin = (last - first) / (x.length - 1) / 2
  const lone = new Set(lines.flatMap(lonePlaces))
  return [lone.has(0) ? first - margin : first, lone.has(x.length - 1) ? last + margin : last]
}
