import { createHmac } from 'node:crypto'

/** Makes an identity token as an app's backend does: a JWT with HS256 over the claims, unless a test wants another algorithm. */
export function identityToken(secret: string, claims: object, alg = 'HS256'): string {
  const text = [{ alg, typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
