/** Names the table, the app and the row of a sealed text. A sealed text that is moved to another row or app does not open. */
export const providerContext = (appId: string, kind: string): string => `gateway.providers/${appId}/${kind}`

export const identitySecretContext = (appId: string): string => `gateway.apps/${appId}/identity-secret`

/** A token belongs to a team's key and not to an app. */
export const apnsTokenContext = (owner: { teamId: string; keyId: string; keyFingerprint: string }): string =>
  `gateway.apns_tokens/${owner.teamId}/${owner.keyId}/${owner.keyFingerprint}`
