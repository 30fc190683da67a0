import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { ApnsCredentials } from '@herald/contracts/administration'
import { z } from 'zod'
import type { Provider } from './provider.ts'
import { content, fields, texts } from './shown-payload.ts'

export type ApnsSettings = {
  kind: 'apns'
  teamId: string
  keyId: string
  bundleId: string
  environment: 'production' | 'sandbox'
  /** SHA-256 (hex) of the public half of the private key. It tells private keys apart while they stay sealed. */
  keyFingerprint: string
}

export const apns: Provider<ApnsSettings, ApnsCredentials> = {
  kind: 'apns',
  route: { name: 'setApns', summary: 'Set the APNs credentials', body: ApnsCredentials },
  shown: z.object({ teamId: z.string(), keyId: z.string(), bundleId: z.string(), environment: z.enum(['production', 'sandbox']) }),
  named: ['teamId', 'keyId', 'bundleId'],
  credentialsOf({ privateKey, ...settings }) {
    const publicKey = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' })
    const keyFingerprint = createHash('sha256').update(publicKey).digest('hex')
    return { settings: { kind: 'apns', ...settings, keyFingerprint }, privateKey }
  },
  // The private key stays in the gateway, which signs the provider tokens.
  travelling(credentials, { version }) {
    const { keyFingerprint: _, ...settings } = credentials
    return { ...settings, version }
  },
  accountOf: ({ bundleId }) => ({ bundleId }),
  simulatedAccount(appId) {
    const account = { teamId: 'SIMULATED1', keyId: keyIdOf(appId), bundleId: `simulated.${appId}` }
    return { ask: account, body: (made) => ({ ...account, privateKey: texts(made)['privateKey'] ?? '', environment: 'production' }) }
  },
  readPayload(payload) {
    const { aps, herald, ...rest } = fields(payload)
    const { alert, badge, sound } = fields(aps)
    const data = texts(rest)
    if (alert === undefined) return { shown: null, data }
    const { title, body } = fields(alert)
    return {
      shown: content({ ...fields(herald), title, body, badge, sound: typeof sound === 'object' ? fields(sound)['name'] : sound }),
      data,
    }
  },
}

/** Makes a key id of ten characters, like Apple's, from the end of the app's id. */
const keyIdOf = (appId: string): string => appId.slice(-10).toUpperCase()
