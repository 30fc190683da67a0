/** Table, app and row go into what is sealed: a sealed text moved to another row or app does not open. */
export const providerContext = (appId: string, kind: string): string => `gateway.providers/${appId}/${kind}`

export const identitySecretContext = (appId: string): string => `gateway.apps/${appId}/identity-secret`

/** A token belongs to a team's key and not to an app. */
export const apnsTokenContext = (owner: { teamId: string; keyId: string; keyFingerprint: string }): string =>
  `gateway.apns_tokens/${owner.teamId}/${owner.keyId}/${owner.keyFingerprint}`
