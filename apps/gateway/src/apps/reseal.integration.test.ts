import { randomBytes } from 'node:crypto'
import { openSealer } from '@herald/auth/seal'
import { newId } from '@herald/contracts/ids'
import { defaultSettings } from '@herald/contracts/app'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { expect, test } from 'vitest'
import { apnsTokenContext, identitySecretContext, providerContext } from './core/seal-context.ts'
import { reseal } from './reseal.ts'
import { insertApnsTokenOwner, findApnsToken, updateApnsToken } from './store/apns-tokens.ts'
import { findIdentityRule, insertApp, updateIdentitySecret } from './store/apps.ts'
import { findFormer, upsertFormer } from './store/kept-credentials.ts'
import { findProvider, upsertProvider } from './store/providers.ts'
import type { Tables } from '../store/tables.ts'

const { url } = await freshDatabase()
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 3 })
const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [first, second, lost] = [key('first'), key('second'), key('lost')]

async function givenSealed(sealKeys: string) {
  const sealer = openSealer(sealKeys)
  const appId = newId()
  await insertApp(db, { id: appId, name: 'Shop', settings: defaultSettings })
  const settings = { kind: 'webpush' as const, subject: 'mailto:a@example.org', publicKey: 'x' }
  await upsertProvider(db, appId, settings, sealer.seal('private', providerContext(appId, 'webpush')))
  await upsertFormer(db, appId, { settings, sealedPrivateKey: sealer.seal('former', providerContext(appId, 'webpush')) })
  await updateIdentitySecret(db, appId, sealer.seal('secret', identitySecretContext(appId)))
  const owner = { teamId: appId, keyId: 'k', keyFingerprint: 'f' }
  await insertApnsTokenOwner(db, owner)
  await updateApnsToken(db, owner, { sealedToken: sealer.seal('token', apnsTokenContext(owner)), mintedAt: new Date() })
  return { appId, owner }
}

// spec: administration/seal-keys
test('values sealed by an earlier seal key are sealed anew once, so that it can be removed', async () => {
  const apps = []
  for (const _ of Array(150)) apps.push(await givenSealed(first))
  const [{ appId, owner } = { appId: '', owner: { teamId: '', keyId: '', keyFingerprint: '' } }] = apps
  const before = await findProvider(db, appId, 'webpush')

  const both = openSealer(`${second},${first}`)
  const twice = await Promise.all([reseal({ db, sealer: both }), reseal({ db, sealer: both })])
  expect(twice.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(600)
  expect(twice.map(({ left }) => left)).toEqual([0, 0])
  expect(await reseal({ db, sealer: both })).toEqual({ resealed: 0, left: 0 })

  const alone = openSealer(second)
  const after = await findProvider(db, appId, 'webpush')
  expect(after).toEqual({ ...before, sealedPrivateKey: after?.sealedPrivateKey })
  expect(alone.open(after?.sealedPrivateKey ?? '', providerContext(appId, 'webpush')).toString()).toBe('private')
  const former = await findFormer(db, appId, 'webpush')
  expect(alone.open(former?.sealedPrivateKey ?? '', providerContext(appId, 'webpush')).toString()).toBe('former')
  const rule = await findIdentityRule(db, appId)
  expect(alone.open(rule?.sealedSecret ?? '', identitySecretContext(appId)).toString()).toBe('secret')
  const token = await findApnsToken(db, owner)
  expect(alone.open(token?.sealedToken ?? '', apnsTokenContext(owner)).toString()).toBe('token')
})

test('a value that no seal key opens is left and counted; others are sealed with the first', async () => {
  await givenSealed(lost)
  await givenSealed(first)
  expect(await reseal({ db, sealer: openSealer(`${second},${first}`) })).toEqual({ resealed: 4, left: 4 })
})
