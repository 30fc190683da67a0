/** The dashes of a chart's lines, in pixels: solid, dashed, dotted and long dashes, so that lines differ by more than their colour. */
const dashes: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [14, 4, 2, 4]]

/** Gives the dashes of a line by its place among the lines of the chart. */
export const dashesOf = (place: number): number[] => [...(dashes[place % dashes.length] ?? [])]
