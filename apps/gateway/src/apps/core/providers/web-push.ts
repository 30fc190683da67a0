import { makeVapidPair } from '@herald/auth/provider-token'
import { WebPushCredentials } from '@herald/contracts/administration'
import { z } from 'zod'
import type { Provider } from './provider.ts'
import { content, fields, texts } from './shown-payload.ts'

export type WebPushSettings = { kind: 'webpush'; subject: string; publicKey: string }

export const webPush: Provider<WebPushSettings, WebPushCredentials> = {
  kind: 'webpush',
  route: {
    name: 'setWebPush',
    summary: 'Set the Web Push credentials; keys are made when there are none',
    body: WebPushCredentials,
  },
  shown: z.object({ subject: z.string(), publicKey: z.string() }),
  named: [],
  /**
   * When the body has no keys, the stored pair stays: a new pair would make every browser's subscription useless. When no pair is stored, a pair is
   * made.
   */
  credentialsOf({ subject, publicKey, privateKey }, present) {
    if (publicKey !== undefined && privateKey !== undefined) return { settings: { kind: 'webpush', subject, publicKey }, privateKey }
    const stored = present()
    const pair = stored ? { publicKey: stored.settings.publicKey, privateKey: stored.privateKey } : makeVapidPair()
    return { settings: { kind: 'webpush', subject, publicKey: pair.publicKey }, privateKey: pair.privateKey }
  },
  travelling: (settings, sealed) => ({ ...settings, ...sealed }),
  accountOf: ({ publicKey }) => ({ applicationServerKey: publicKey }),
  // Web Push has no accounts: the simulated push service takes every key pair.
  simulatedAccount: () => ({ ask: null, body: () => ({ subject: 'mailto:simulated@example.org' }) }),
  readPayload(payload) {
    const { data, appBadge: badge, ...shown } = fields(payload)
    const { msgId: _msgId, ...own } = texts(data)
    return { shown: content({ ...shown, badge }), data: own }
  },
}
