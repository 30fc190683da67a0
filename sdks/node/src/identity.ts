const longestSeconds = 3600

/**
 * Makes the token with which a page or mobile app proves who its user is: a JWT with HS256 and the app's identity secret. Give it only to the
 * signed-in user. `expiresInSeconds` is at most 3600.
 */
export async function identityToken(
  secret: string,
  externalId: string,
  { expiresInSeconds = 600, now = new Date() }: { expiresInSeconds?: number; now?: Date } = {},
): Promise<string> {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError('Herald: the identity secret of the app is needed. Is the environment variable that holds it set?')
  if (typeof externalId !== 'string' || externalId === '') throw new TypeError('Herald: externalId must be the id of the signed-in user')
  if (!(expiresInSeconds > 0 && expiresInSeconds <= longestSeconds))
    throw new TypeError(`Herald: expiresInSeconds must be above 0 and at most ${longestSeconds}`)
  const seconds = Math.floor(now.getTime() / 1000)
  const claims = { sub: externalId, iat: seconds, exp: seconds + Math.ceil(expiresInSeconds) }
  const signed = `${partOf({ alg: 'HS256', typ: 'JWT' })}.${partOf(claims)}`
  const bytes = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return `${signed}.${base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(signed))))}`
}

const partOf = (value: object): string => base64url(new TextEncoder().encode(JSON.stringify(value)))

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
