import { createHmac } from 'node:crypto'

/** A JWT as an app's backend makes it: HS256 over the claims, unless a test wants it wrong. */
export function identityToken(secret: string, claims: object, alg = 'HS256'): string {
  const text = [{ alg, typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
