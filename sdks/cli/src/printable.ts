/** Text of others without what would steer the terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?')
