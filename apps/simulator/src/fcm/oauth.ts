import { randomBytes } from 'node:crypto'
import type { Accounts, FcmAccount } from '../accounts.ts'
import { isSignedBy, parseJwt } from '../jwt.ts'
import type { Answer, Serve } from '../request.ts'

const lifetimeSeconds = 3600
const clockSkewSeconds = 60
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const scopes = ['https://www.googleapis.com/auth/firebase.messaging', 'https://www.googleapis.com/auth/cloud-platform']
/** The address that some clients name as the assertion's audience, even when they send the assertion to another address. */
const googleAudience = 'https://oauth2.googleapis.com/token'

/** The answer of the token endpoint to every request while its fault `outage` is `503`. */
export const oauthUnavailable: Answer = {
  status: 503,
  headers: {},
  body: '{"error":"temporarily_unavailable"}',
  reason: 'temporarily_unavailable',
}

export type AccessTokens = ReturnType<typeof openAccessTokens>

/** Keeps the access tokens that were issued. A token is valid for 3600 s, or until its project gets another key. */
export function openAccessTokens(accounts: Accounts) {
  const issued = new Map<string, { account: FcmAccount; expiresAt: number }>()
  return {
    issue(account: FcmAccount, now: number): string {
      const token = `ya29.${randomBytes(48).toString('base64url')}`
      issued.set(token, { account, expiresAt: now + lifetimeSeconds * 1000 })
      return token
    },
    /** Gives the account for which a valid token was issued; undefined for any other token. */
    check(token: string, now: number): FcmAccount | undefined {
      const entry = issued.get(token)
      return entry && entry.expiresAt > now && accounts.project(entry.account.projectId) === entry.account ? entry.account : undefined
    },
    count: (): number => issued.size,
  }
}

/**
 * Serves `POST /token`, which takes a signed assertion and gives an access token (RFC 7523, as Google does it). `tokenUri` is a function, because the
 * port is known only after the start.
 */
export function openOauth(accounts: Accounts, tokens: AccessTokens, tokenUri: () => string): Serve {
  return ({ method, path, headers, body }) => {
    if (path !== '/token') return { status: 404, headers: {}, body: '', reason: 'not_found' }
    if (method !== 'POST') return { status: 405, headers: { allow: 'POST' }, body: '', reason: 'method_not_allowed' }
    if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      return refuse('invalid_request', 'Content-Type must be a form.')
    const form = new URLSearchParams(body.toString())
    if (form.get('grant_type') !== grantType)
      return refuse('unsupported_grant_type', 'Invalid grant_type: ' + (form.get('grant_type') ?? ''))

    const now = Date.now()
    const jwt = parseJwt(form.get('assertion') ?? '')
    if (!jwt) return refuse('invalid_grant', 'Bad Request')
    const { iss, aud, scope, iat, exp } = jwt.claims
    const account = typeof iss === 'string' ? accounts.projectByEmail(iss) : undefined
    if (!account) return refuse('invalid_grant', 'Invalid grant: account not found')
    if (!isSignedBy(jwt, 'RS256', account.publicKey)) return refuse('invalid_grant', 'Invalid JWT Signature.')
    if (aud !== tokenUri() && aud !== googleAudience) return refuse('invalid_grant', 'Invalid JWT: Failed audience check.')
    const seconds = now / 1000
    if (
      typeof iat !== 'number' ||
      typeof exp !== 'number' ||
      iat > seconds + clockSkewSeconds ||
      exp <= seconds ||
      exp - iat > lifetimeSeconds
    )
      return refuse('invalid_grant', 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.')
    if (typeof scope !== 'string' || !scope.split(' ').some((each) => scopes.includes(each)))
      return refuse('invalid_scope', 'Invalid OAuth scope or ID token audience provided.')

    const answer = { access_token: tokens.issue(account, now), expires_in: lifetimeSeconds, token_type: 'Bearer' }
    return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(answer), reason: '' }
  }
}

const refuse = (error: string, description: string): Answer => ({
  status: 400,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ error, error_description: description }),
  reason: error,
})
