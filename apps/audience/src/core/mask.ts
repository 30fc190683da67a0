/** As much of a token as support may see: its last 6 characters (spec: identity/masked-token), of a shorter one nothing. */
export const maskToken = (token: string): string => `…${token.length > 6 ? token.slice(-6) : ''}`
