import { createHmac } from 'node:crypto'

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Makes the token with which an app's backend proves who is logged in: a JWT signed by HS256 with the app's identity secret. It ends after `seconds`. */
export function identityToken(secret: string, externalId: string, seconds = 600): string {
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: externalId, exp: Math.floor(Date.now() / 1_000) + seconds })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
