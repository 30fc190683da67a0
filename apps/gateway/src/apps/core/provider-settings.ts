/** The part of a provider's credentials that is not secret, as it is stored. */
export type ProviderSettings =
  | {
      kind: 'apns'
      teamId: string
      keyId: string
      bundleId: string
      environment: 'production' | 'sandbox'
      /** SHA-256 (hex) of the public half of the private key. It tells private keys apart without opening them. */
      keyFingerprint: string
    }
  | { kind: 'fcm'; projectId: string; clientEmail: string; tokenUri: string }
  | { kind: 'webpush'; subject: string; publicKey: string }

/** What the administration shows of a provider's credentials. */
export type ShownProvider =
  | { teamId: string; keyId: string; bundleId: string; environment: 'production' | 'sandbox' }
  | { projectId: string; clientEmail: string; tokenUri: string }
  | { subject: string; publicKey: string }

export function showProvider(settings: ProviderSettings): ShownProvider {
  if (settings.kind === 'webpush') return { subject: settings.subject, publicKey: settings.publicKey }
  if (settings.kind === 'fcm') return { projectId: settings.projectId, clientEmail: settings.clientEmail, tokenUri: settings.tokenUri }
  return { teamId: settings.teamId, keyId: settings.keyId, bundleId: settings.bundleId, environment: settings.environment }
}
