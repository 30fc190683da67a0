import { createECDH, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { ApnsCredentials, CreateKey, FcmCredentials, PatchApp, scopes, Settings, WebPushCredentials } from './administration.ts'
import { defaultSettings } from './app.ts'

const pathsOf = (schema: z.ZodType, value: unknown): string[] | undefined =>
  schema.safeParse(value).error?.issues.map((issue) => issue.path.join('.'))
const pemOf = ({ privateKey }: { privateKey: KeyObject }): string => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const p256 = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const p384 = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }))
const rsa = pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }))

// spec: administration/key-scopes
test('a secret key gets all scopes unless some are named; a public key always has its one', () => {
  expect(CreateKey.parse({ kind: 'secret', name: 'ci' }).scopes).toEqual([...scopes])
  expect(CreateKey.parse({ kind: 'secret', name: 'ci', scopes: ['users:read', 'users:read'] }).scopes).toEqual(['users:read'])
  expect(CreateKey.parse({ kind: 'public', name: 'app' }).scopes).toEqual(['subscriptions:write'])
  expect(pathsOf(CreateKey, { kind: 'public', name: 'app', scopes: ['users:read'] })).toEqual(['scopes'])
  expect(pathsOf(CreateKey, { kind: 'secret', name: 'ci', scopes: ['admin'] })).toEqual(['scopes.0'])
})

// spec: administration/settings
test('the settings that a new app starts with are accepted as valid settings', () => {
  expect(Settings.parse(defaultSettings)).toEqual(defaultSettings)
})

// spec: administration/settings
test('one setting can be changed alone, also to null; empty changes, wrong times and a cap of 0 are refused', () => {
  expect(PatchApp.parse({ settings: { frequencyCap: null } })).toEqual({ settings: { frequencyCap: null } })
  expect(PatchApp.parse({ settings: { quietHours: { start: '22:00', end: '07:30', action: 'skip' } } })).toBeTruthy()
  expect(pathsOf(PatchApp, {})).toEqual([''])
  expect(pathsOf(PatchApp, { settings: { quietHours: { start: '24:00', end: '7:30', action: 'skip' } } })).toEqual([
    'settings.quietHours.start',
    'settings.quietHours.end',
  ])
  expect(pathsOf(PatchApp, { settings: { frequencyCap: { max: 0, windowSeconds: 60 } } })).toEqual(['settings.frequencyCap.max'])
})

// spec: administration/apns-credentials
test('credentials for APNs need a P-256 private key, and a team id and a bundle id of the right form', () => {
  const apns = { teamId: 'TEAM123456', keyId: 'KEY1234567', bundleId: 'com.example.app', environment: 'sandbox', privateKey: p256 }
  expect(pathsOf(ApnsCredentials, apns)).toBeUndefined()
  for (const privateKey of [p384, rsa, 'not a key', '']) expect(pathsOf(ApnsCredentials, { ...apns, privateKey })).toEqual(['privateKey'])
  expect(pathsOf(ApnsCredentials, { ...apns, teamId: 'x', bundleId: 'a b' })).toEqual(['teamId', 'bundleId'])
})

// spec: administration/fcm-credentials
test('Google’s service account file is accepted as it is, and only its five used fields are kept', () => {
  const account = {
    type: 'service_account',
    project_id: 'demo-1',
    private_key_id: 'k1',
    private_key: rsa,
    client_email: 'push@demo-1.iam.gserviceaccount.com',
    client_id: '1',
    auth_uri: 'https://a',
    token_uri: 'https://oauth2.googleapis.com/token',
    auth_provider_x509_cert_url: 'https://b',
    client_x509_cert_url: 'https://c',
    universe_domain: 'googleapis.com',
  }
  expect(Object.keys(FcmCredentials.parse({ serviceAccount: account }).serviceAccount).toSorted()).toEqual([
    'client_email',
    'private_key',
    'private_key_id',
    'project_id',
    'token_uri',
  ])
  expect(pathsOf(FcmCredentials, { serviceAccount: { ...account, private_key: p256 } })).toEqual(['serviceAccount.private_key'])
  expect(pathsOf(FcmCredentials, { serviceAccount: { ...account, token_uri: 'http://a' } })).toEqual(['serviceAccount.token_uri'])
})

// spec: administration/webpush-credentials
test('VAPID keys are accepted only as a matching pair, or when both keys are left out', () => {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys('base64url')
  const privateKey = ecdh.getPrivateKey().toString('base64url').padStart(43, 'A')
  const subject = 'mailto:push@example.com'
  expect(pathsOf(WebPushCredentials, { subject })).toBeUndefined()
  expect(pathsOf(WebPushCredentials, { subject, publicKey, privateKey })).toBeUndefined()
  expect(pathsOf(WebPushCredentials, { subject, publicKey })).toEqual(['privateKey'])
  expect(pathsOf(WebPushCredentials, { subject, privateKey })).toEqual(['publicKey'])
  expect(pathsOf(WebPushCredentials, { subject, publicKey: createECDH('prime256v1').generateKeys('base64url'), privateKey })).toEqual([
    'privateKey',
  ])
  expect(pathsOf(WebPushCredentials, { subject: 'push@example.com' })).toEqual(['subject'])
})

// spec: administration/credentials-shown
test('the error about a wrong key for APNs does not repeat the key', () => {
  const answer = ApnsCredentials.safeParse({ privateKey: `${p384}x` })
  expect(JSON.stringify(answer.error?.issues)).not.toContain(p384.slice(40, 80))
})
