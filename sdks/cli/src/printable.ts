/** Replaces control characters in a text that came from elsewhere by `?`, so that the text cannot steer the terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?')
