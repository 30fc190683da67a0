/**
 * The dashes of a chart's lines, in pixels: a solid line, dashes, dots, and dashes and dots in turn. With them lines differ by more than their
 * colour.
 */
const dashes: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [14, 4, 2, 4]]

/** Gives the dashes of a line by its place among the lines of the chart. */
export const dashesOf = (place: number): number[] => [...(dashes[place % dashes.length] ?? [])]
