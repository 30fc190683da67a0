import { verifyIdentityToken } from '@herald/auth/identity-token'
import type { Sealer } from '@herald/auth/seal'
import type { KeyKind } from '@herald/contracts/administration'
import { fault } from '@herald/contracts/fault'
import { identitySecretContext } from '../apps/core/seal-context.ts'
import type { IdentityRules } from './identity-rules.ts'

type Claim = { appId: string; keyKind: KeyKind; externalId: string | undefined; token: string | undefined }

/**
 * Checks whether a caller may name this user. A public key ships inside apps, so anybody could log a device in as any user: an app with
 * `identityVerification: required` asks for a token that its own backend signed (spec: identity/verification). Secret keys are exempt. Fault:
 * forbidden.
 */
export async function checkIdentity(
  { identityRules, sealer }: { identityRules: IdentityRules; sealer: Sealer },
  claim: Claim,
): Promise<void> {
  const { appId, keyKind, externalId, token } = claim
  if (keyKind === 'secret' || externalId === undefined) return
  const rule = await identityRules.of(appId)
  if (!rule?.required) return
  const refused = fault('forbidden', 'This app requires x-identity-token: a valid token for this externalId, signed by its backend.')
  if (token === undefined || rule.sealed_identity_secret === null) throw refused
  const secret = sealer.open(rule.sealed_identity_secret, identitySecretContext(appId)).toString()
  const answer = verifyIdentityToken(secret, token, new Date())
  if (!answer.ok || answer.externalId !== externalId) throw refused
}
