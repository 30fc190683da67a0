/** Lines of a chart differ by more than their colour: solid, dashed, dotted, long dashes. Lengths are pixels. */
const dashes: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [14, 4, 2, 4]]

/** The dashes of a chart's line, by its place among the series. */
export const dashesOf = (place: number): number[] => [...(dashes[place % dashes.length] ?? [])]
