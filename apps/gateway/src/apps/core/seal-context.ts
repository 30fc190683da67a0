/** Names the table, the app and the row that a sealed (encrypted) text belongs to. A sealed text that is moved to another row cannot be opened. */
export const providerContext = (appId: string, kind: string): string => `gateway.providers/${appId}/${kind}`

export const identitySecretContext = (appId: string): string => `gateway.apps/${appId}/identity-secret`

/** The context of a provider token names no app, because all apps that use a team's key share its token. */
export const apnsTokenContext = (owner: { teamId: string; keyId: string; keyFingerprint: string }): string =>
  `gateway.apns_tokens/${owner.teamId}/${owner.keyId}/${owner.keyFingerprint}`
