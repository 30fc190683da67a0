import type { App } from '@herald/contracts/app'
import type { Circuit } from '@herald/contracts/calls/audience'
import { remedyOf } from '@herald/contracts/remedies'
import { appId, keyId, listOf, monday, tuesday, type Example } from '../../http/shop.ts'
import type { ShownAdminKey } from '../store/admin-keys.ts'
import type { ShownKey } from '../store/api-keys.ts'

const app = {
  id: appId,
  name: 'Shop',
  settings: {
    defaultTimezone: 'Europe/Vienna',
    frequencyCap: { max: 3, windowSeconds: 86_400 },
    quietHours: { start: '22:00', end: '08:00', action: 'hold' },
    identityVerification: 'off',
    attribution: { directHours: 24, influencedHours: 1 },
    conversions: { publicValues: false },
    holdout: null,
    inboxDays: 30,
    approval: { devices: 10_000 },
    mostPictures: 200,
  },
  createdAt: monday,
} satisfies App
const key = {
  id: keyId,
  kind: 'secret',
  name: 'backend',
  scopes: ['notifications:send', 'campaigns:read'],
  hint: 'a1b2',
  publicText: null,
  createdAt: monday,
  lastUsedAt: '2026-01-13T18:00:00.000Z',
} satisfies ShownKey
const adminKey = {
  id: keyId,
  name: 'release pipeline',
  scopes: ['read', 'send'],
  hint: 'c3d4',
  createdAt: monday,
  lastUsedAt: '2026-01-13T18:00:00.000Z',
} satisfies ShownAdminKey
const apns = { teamId: 'TEAM000001', keyId: 'KEY0000001', bundleId: 'com.example.shop', environment: 'production' }
const fcm = {
  projectId: 'shop-project',
  clientEmail: 'sender@shop-project.iam.gserviceaccount.com',
  tokenUri: 'https://oauth2.googleapis.com/token',
}
const webpush = {
  subject: 'mailto:ops@shop.example',
  publicKey: 'BNbN3OiAWKh0TIvvWGqHPBQfpGcJ_Yl2-TqnJLQjCkdUJpbOjPbcWEWzOvkBGDMbnGGJQbLq2O4AgBb3mWMRXlE',
}
const circuit = {
  platform: 'ios',
  environment: 'production',
  state: 'open',
  code: 'credentials_invalid',
  since: tuesday,
  probeAt: '2026-01-13T18:30:30.000Z',
  heldCount: 1200,
} satisfies Circuit
const pem = '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n'

/** Examples of apps, keys and credentials, by route name. */
export const appExamples: Record<string, Example> = {
  createApp: { bodies: { app: { name: 'Shop' } }, answer: app },
  listApps: { answer: listOf(app) },
  readApp: { answer: app },
  changeApp: { bodies: { settings: { settings: { quietHours: app.settings.quietHours } } }, answer: app },
  makeIdentitySecret: { answer: { secret: 'ids_the-secret-that-signs-identity-tokens' } },
  createKey: {
    bodies: { secret: { kind: 'secret', name: 'backend', scopes: key.scopes }, public: { kind: 'public', name: 'sdk' } },
    answer: { ...key, lastUsedAt: null, key: `sk_live_${appId}_the-secret-part-of-the-key` },
  },
  listKeys: { answer: listOf(key) },
  createAdminKey: {
    bodies: { 'for a pipeline': { name: adminKey.name, scopes: adminKey.scopes } },
    answer: { ...adminKey, lastUsedAt: null, key: `ak_live_${appId}_the-secret-part-of-the-key` },
  },
  listAdminKeys: { answer: listOf(adminKey) },
  setApns: { bodies: { 'a .p8 file': { ...apns, privateKey: pem } }, answer: apns },
  setFcm: {
    bodies: {
      'a service account': { serviceAccount: { project_id: fcm.projectId, client_email: fcm.clientEmail, private_key: pem } },
    },
    answer: fcm,
  },
  setWebPush: { bodies: { 'keys are made': { subject: webpush.subject } }, answer: webpush },
  'read-apns': { answer: { ...apns, circuits: [circuit], former: { ...apns, keyId: 'KEY0000000', replacedAt: tuesday } } },
  'read-fcm': { answer: { ...fcm, circuits: [], former: null } },
  'read-webpush': { answer: { ...webpush, circuits: [], former: null } },
  'rollback-apns': { answer: apns },
  'rollback-fcm': { answer: fcm },
  'rollback-webpush': { answer: webpush },
  'probe-apns': { answer: { open: 1 } },
  'probe-fcm': { answer: { open: 0 } },
  'probe-webpush': { answer: { open: 0 } },
  'check-apns': {
    answer: {
      ok: false,
      code: 'credentials_invalid',
      providerCode: '403 InvalidProviderToken',
      remedy: remedyOf('apns', 'credentials_invalid', '403 InvalidProviderToken'),
    },
  },
  'check-fcm': { answer: { ok: true, code: null, providerCode: '400 INVALID_ARGUMENT message.token', remedy: null } },
  'check-webpush': { answer: { ok: true, code: null, providerCode: null, remedy: null } },
  readWebPushKey: { answer: { publicKey: webpush.publicKey } },
}
