import { countText } from './number.ts'

/** Writes a number of things: "1 push", "2,000 pushes". */
export const some = (count: number, one: string, more: string): string => `${countText(count)} ${count === 1 ? one : more}`
