import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { newId } from '@herald/contracts/ids'
import { scopes } from '@herald/contracts/administration'
import { makeApiKey } from '@herald/auth/api-key'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { exampleOf } from '../openapi/http/examples.ts'
import type { Route } from './route.ts'
import { administrationRoutes, routes } from './routes.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const app = await gateway.givenApp()
const stranger = await gateway.givenApp()
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const keyed = routes.filter(({ key }) => key === 'secret' || key === 'public')
const requestOf = ({ method, path }: Route, headers: Record<string, string>) =>
  gateway.ask({ method: method.toUpperCase(), path: path.replaceAll(/:\w+/g, () => newId()), headers })
const codeOf = async (route: Route, headers: Record<string, string>) => {
  const { status, body } = await requestOf(route, headers)
  return `${status} ${body.error?.code}`
}
const title = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`
const titled = (chosen: readonly Route[]) => chosen.map((route) => [title(route), route] as const)
const isForPages = ({ key }: Route) => key === 'public'

// spec: limits/key-missing, limits/key-headers
test.each(titled(keyed))('the route %s refuses requests without a valid API key in its header', async (_, route) => {
  const wrong = [
    {},
    bearer('nonsense'),
    bearer(makeApiKey('secret', app.appId).key),
    bearer(`${app.secretKey.slice(0, -1)}${app.secretKey.endsWith('A') ? 'B' : 'A'}`),
    bearer(app.secretKey.replace(app.appId, stranger.appId)),
    { authorization: `Basic ${app.secretKey}` },
    { authorization: app.secretKey },
    bearer(adminToken),
    { 'x-app-key': app.secretKey },
    { 'x-app-key': makeApiKey('public', app.appId).key },
    { 'x-app-key': app.publicKey.replace('pk_', 'sk_') },
  ]
  for (const headers of wrong) expect([headers, await codeOf(route, headers)]).toEqual([headers, '401 unauthorized'])
})

// spec: limits/public-key
test.each(titled(keyed.filter((route) => !isForPages(route))))(
  'the route %s refuses a public key, in both headers that may have a key',
  async (_, route) => {
    for (const headers of [{ 'x-app-key': app.publicKey }, bearer(app.publicKey)])
      expect(await codeOf(route, headers)).toBe('403 forbidden')
  },
)

// spec: limits/key-headers
test.each(titled(keyed.filter(isForPages)))('the route %s accepts a public key', async (_, route) => {
  for (const headers of [{ 'x-app-key': app.publicKey }, bearer(app.publicKey)]) expect(await codeOf(route, headers)).not.toMatch(/^40[13]/)
})

// spec: limits/scopes
test.each(titled(keyed))('the route %s accepts a secret key with its scopes, and refuses one that lacks any of them', async (_, route) => {
  const keyWith = async (wanted: string[]) =>
    String((await gateway.admin('POST', `/apps/${app.appId}/keys`, { kind: 'secret', name: 'scoped', scopes: wanted })).body['key'])
  const needed = [route.scope, route.alsoScope].filter((scope) => scope !== undefined)
  const own = await keyWith(needed)

  for (const one of needed) {
    const others = await keyWith(scopes.filter((scope) => scope !== one))
    expect(await requestOf(route, bearer(others))).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', message: `The API key does not have the scope ${one}.` } },
    })
  }
  expect(await codeOf(route, bearer(own))).not.toMatch(/^40[13]/)
})

test('every route below /v1 needs an API key, administration token or session, except signed msgIds and sign-in', () => {
  expect(routes.filter(({ path, key }) => path.startsWith('/v1/') && key === 'none').map(title)).toEqual([
    'POST /v1/e/:kind/:msgId',
    'POST /v1/u/:msgId',
  ])
  const ofAdministration = new Set(['admin', 'sign-in'])
  expect(routes.filter(({ path, key }) => path.startsWith('/v1/admin') !== ofAdministration.has(key)).map(title)).toEqual([])
  expect(routes.filter(({ key }) => key === 'sign-in').map(title)).toEqual(['POST /v1/admin/session'])
})

/** The token alone opens no route of a session; session.integration.test.ts tests these routes. */
const isOfSession = ({ path }: Route) => path === '/v1/admin/session'

// spec: administration/token
test.each(titled(administrationRoutes.filter((route) => !isOfSession(route))))(
  'the route %s accepts the administration token, and refuses none, another key or another form of it',
  async (_, route) => {
    for (const headers of [
      {},
      bearer('x'.repeat(adminToken.length)),
      bearer(app.secretKey),
      { 'x-app-key': adminToken },
      { authorization: adminToken },
    ]) {
      expect(await codeOf(route, headers)).toBe('401 unauthorized')
    }
    expect(await codeOf(route, bearer(adminToken))).not.toMatch(/^401/)
  },
)

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
/** The gateway checks a body before it looks anything up, so each route with a body gets a valid one. */
const bodies: Record<string, unknown> = {
  replaceCampaignOfApp: { name: 'Sale', silent: true },
  searchUsersOfApp: { token: 'token' },
  sendTest: { subscriptionId: newId(), silent: true },
  startImport: { format: 'csv' },
  changeApp: { name: 'x' },
  createKey: { kind: 'public', name: 'x' },
  setApns: {
    teamId: 'TEAM000001',
    keyId: 'KEY0000001',
    privateKey: pem(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey),
    bundleId: 'org.example.shop',
    environment: 'sandbox',
  },
  setFcm: {
    serviceAccount: {
      project_id: 'shop-1',
      client_email: 'push@shop-1.example',
      private_key: pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    },
  },
  setWebPush: { subject: 'mailto:a@example.org' },
  createWebhook: { url: 'https://hooks.example.org/herald' },
  changeWebhook: { enabled: false },
}
/** The gateway checks a query before it looks anything up, too. */
const queries: Record<string, string> = {
  explainSend: `?campaignId=${newId()}&subscriptionId=${newId()}`,
  sendImportData: '?offset=0',
  readCampaignUplift: '?conversion=order',
  readHoldoutUplift: '?conversion=order',
}
/** A route of the administration that does the same as a public route gets the body of the public route's example. */
const bodyOf = ({ name }: Route): unknown => bodies[name] ?? Object.values(exampleOf[name.replace(/OfApp$/, '')]?.bodies ?? {})[0]

// spec: administration/unknown-app
test.each(titled(administrationRoutes.filter(({ path }) => path.includes(':appId'))))(
  'the route %s answers 404 for an app that does not exist',
  async (_, route) => {
    const asked = (appId: string) =>
      gateway.ask({
        method: route.method.toUpperCase(),
        path: route.path.replace(':appId', appId).replaceAll(/:\w+/g, () => newId()) + (queries[route.name] ?? ''),
        headers: { ...bearer(adminToken), ...(route.takes === undefined ? {} : { 'content-type': route.takes[0] ?? '' }) },
        ...(route.takes === undefined ? { body: bodyOf(route) } : { raw: 'token\n' }),
      })
    expect(await asked(newId())).toMatchObject({ status: 404, text: (await asked('nonsense')).text })
  },
)

// spec: administration/token-unset
test.each(['', 'short-token'])('with ADMIN_TOKEN %j every path of the administration is 404', async (ADMIN_TOKEN) => {
  const without = await startGateway({ database: url('gateway'), nats }, { ADMIN_TOKEN })
  const unknown = (await without.ask({ path: '/nowhere' })).text
  for (const route of administrationRoutes) {
    for (const method of [route.method.toUpperCase(), 'OPTIONS', 'TRACE']) {
      const told = await without.ask({ method, path: route.path, headers: bearer(ADMIN_TOKEN === '' ? adminToken : ADMIN_TOKEN) })
      expect([title(route), told.status, told.text]).toEqual([title(route), 404, unknown])
    }
  }
})

// spec: limits/foreign-ids
test('an app’s API key cannot be revoked through another app: it is as if it did not exist', async () => {
  const foreign = await gateway.admin('DELETE', `/apps/${stranger.appId}/keys/${app.secretKeyId}`)
  const unknown = await gateway.admin('DELETE', `/apps/${stranger.appId}/keys/${newId()}`)

  expect(foreign).toMatchObject({ status: 404, text: unknown.text })
  expect(await codeOf(keyed[0]!, bearer(app.secretKey))).not.toMatch(/^401/)
})
