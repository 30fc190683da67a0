import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Makes a new secret: 32 bytes from a CSPRNG in base64url (43 characters) after a prefix such as `whsec_`. */
export const randomSecret = (prefix = ''): string => `${prefix}${randomBytes(32).toString('base64url')}`

/** Gives the last four characters of a secret: enough for an operator to tell two secrets apart, and useless to a thief. */
export const hintOf = (secret: string): string => secret.slice(-4)

/** Says whether two secrets are the same. It compares SHA-256 digests in constant time, so the time does not tell where the secrets differ. */
export const equalSecrets = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
