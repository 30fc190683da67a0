export type TokenKind = 'administration token' | 'administration key' | 'secret key'

/** Gives what a token is, by its form. */
export const kindOf = (token: string): TokenKind =>
  token.startsWith('sk_') ? 'secret key' : token.startsWith('ak_') ? 'administration key' : 'administration token'

/** Gives the app that the text of an administration key names; undefined for any other token. */
export const appOfKey = (token: string): string | undefined => /^ak_live_([0-9a-f]{24})_/.exec(token)?.[1]
