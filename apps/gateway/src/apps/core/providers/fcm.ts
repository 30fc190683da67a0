import { FcmCredentials } from '@herald/contracts/administration'
import { z } from 'zod'
import type { Provider } from './provider.ts'
import { content, fields, texts } from './shown-payload.ts'

export type FcmSettings = { kind: 'fcm'; projectId: string; clientEmail: string; tokenUri: string }

const googleTokenUri = 'https://oauth2.googleapis.com/token'

export const fcm: Provider<FcmSettings, FcmCredentials> = {
  kind: 'fcm',
  route: { name: 'setFcm', summary: 'Set the FCM credentials', body: FcmCredentials },
  shown: z.object({ projectId: z.string(), clientEmail: z.string(), tokenUri: z.string() }),
  named: ['projectId'],
  credentialsOf: ({ serviceAccount: { project_id, client_email, token_uri = googleTokenUri, private_key } }) => ({
    settings: { kind: 'fcm', projectId: project_id, clientEmail: client_email, tokenUri: token_uri },
    privateKey: private_key,
  }),
  travelling: (settings, sealed) => ({ ...settings, ...sealed }),
  accountOf: ({ projectId }) => ({ projectId }),
  simulatedAccount: (appId) => ({
    ask: { projectId: `simulated-${appId}` },
    body(made) {
      const { project_id = '', client_email = '', private_key = '', token_uri = googleTokenUri } = texts(made)
      return { serviceAccount: { project_id, client_email, private_key, token_uri } }
    },
  }),
  readPayload(payload) {
    const { notification, data, android } = fields(fields(payload)['message'])
    const { msgId: _msgId, ...all } = texts(data)
    if (notification === undefined) return { shown: null, data: all }
    const { url, actions, ...own } = all
    const { title, body, image } = fields(notification)
    const { sound, notification_count: badge } = fields(fields(android)['notification'])
    return { shown: content({ title, body, image, url, actions: parsed(actions), badge, sound }), data: own }
  },
  withoutToken(payload) {
    const { message, ...rest } = fields(payload)
    const shown = fields(message)
    const key = typeof shown['fid'] === 'string' ? 'fid' : 'token'
    const address = shown[key]
    return typeof address === 'string' ? { ...rest, message: { ...shown, [key]: `…${address.slice(-4)}` } } : payload
  },
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? 'null')
  } catch {
    return null
  }
}
