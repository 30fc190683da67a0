/** Puts a text into another in the place of what is selected. */
export const insertAt = (text: string, inserted: string, from: number, to: number): string =>
  text.slice(0, from) + inserted + text.slice(to)
