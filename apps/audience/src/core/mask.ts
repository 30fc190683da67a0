/** As much of a token as support may see: its last 6 characters (decisions.md 6), of a shorter one nothing. */
export const maskToken = (token: string): string => `…${token.length > 6 ? token.slice(-6) : ''}`
