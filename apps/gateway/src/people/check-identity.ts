import { verifyIdentityToken } from '@herald/auth/identity-token'
import type { Sealer } from '@herald/auth/seal'
import type { KeyKind } from '@herald/contracts/administration'
import { fault } from '@herald/contracts/fault'
import type { Kysely } from 'kysely'
import { identitySecretContext } from '../apps/core/seal-context.ts'
import { findIdentityRule, type IdentityRule } from '../apps/store/apps.ts'
import { rememberByApp, type AppMemory } from '../remember-by-app.ts'
import type { Tables } from '../store/tables.ts'

export type IdentityRules = AppMemory<IdentityRule>

/** Remembers the identity rules of apps: each request that names a user with a public key needs its app's rule, and rules seldom change. */
export const openIdentityRules = ({ db }: { db: Kysely<Tables> }, ttlSeconds: number): IdentityRules =>
  rememberByApp((appId) => findIdentityRule(db, appId), ttlSeconds)

/** `isAlways`: the token is needed whatever the app's setting says. */
type Claim = { appId: string; keyKind: KeyKind; externalId: string | undefined; token: string | undefined; isAlways?: boolean }

/**
 * Checks whether a client may name this user. A public key is no proof, so an app with `identityVerification: required` asks for a token that its
 * backend signed (spec: identity/verification). Secret keys are exempt. Fault: forbidden.
 */
export async function checkIdentity(
  { identityRules, sealer }: { identityRules: IdentityRules; sealer: Sealer },
  claim: Claim,
): Promise<void> {
  const { appId, keyKind, externalId, token, isAlways = false } = claim
  if (keyKind === 'secret' || externalId === undefined) return
  const rule = await identityRules.of(appId)
  if (!rule?.required && !isAlways) return
  const refused = fault(
    'forbidden',
    `${isAlways ? 'This' : 'This app'} requires x-identity-token: a valid token for this externalId, signed by the app’s backend.`,
  )
  if (token === undefined || !rule || rule.sealedSecret === null) throw refused
  const secret = sealer.open(rule.sealedSecret, identitySecretContext(appId)).toString()
  const answer = verifyIdentityToken(secret, token, new Date())
  if (!answer.ok || answer.externalId !== externalId) throw refused
}
