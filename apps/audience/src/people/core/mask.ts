/** As much of a token as support may see: its last 6 characters (spec: identity/masked-token), of a shorter one nothing. */
export const maskToken = (token: string): string => `…${token.length > 6 ? token.slice(-6) : ''}`

/** As much of a token or an endpoint as administration shows: its first 8 characters (spec: administration/masked-addresses), of a shorter one nothing. */
export const maskAddress = (address: string): string => `${address.length > 8 ? address.slice(0, 8) : ''}…`
