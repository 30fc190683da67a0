import { mintMessageId } from '@herald/auth/message-id'
import { Fault, faultStatus, type FaultCode } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { whyNotDocumented } from '@herald/testing/fuzz-requests'
import { resolve } from '@herald/testing/json-schema'
import { freshNats } from '@herald/testing/nats'
import { afterEach, expect, test } from 'vitest'
import { exampleOf } from './examples.ts'
import { templateOf } from './openapi.ts'
import type { Route } from '../../http/route.ts'
import { openApiDocument } from '../../http/documents.ts'
import { publicRoutes } from '../../http/routes.ts'
import type { Question, Told } from '../../testing/ask.ts'
import { fullAnswers } from '../../testing/described-answer.ts'
import { hmacSecret, startGateway, type GatewayUnderTest } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'

// Brings about each answer that the public OpenAPI document lists, except those of `ofEachItem` and `asksNoApp`. Fakes of the other services give the
// refusals; that a real service refuses alike is not tested here.

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const addresses = { database: url('gateway'), nats }
const gateway = await startGateway(addresses)
const once = { SUBSCRIBE_RATE_LIMIT: '1', IDENTITY_RATE_LIMIT: '1', SEND_RATE_LIMIT: '1', EVENT_RATE_LIMIT: '1', API_RATE_LIMIT: '1' }
const app = await gateway.givenApp()
await gateway.admin('PUT', `/apps/${app.appId}/providers/webpush`, { subject: 'mailto:ops@shop.example' })
const campaignId = newId()
peers.campaigns.set(campaignId, app.appId)
const msgId = mintMessageId(hmacSecret, {
  appId: app.appId,
  campaignId,
  userId: newId(),
  subscriptionId: newId(),
  platform: 'ios',
  variant: '',
})
afterEach(() => {
  peers.refusal = undefined
  peers.answers.clear()
})

type Operation = { responses: Record<string, unknown>; [name: string]: unknown }
const operationOf = ({ path, method }: Route): Operation => {
  const operation: unknown = openApiDocument.paths?.[templateOf(path)]?.[method]
  return operation as Operation
}
const titleOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`

const queries: Record<string, string> = { explainCampaign: `?subscriptionId=${newId()}` }

function rightQuestion(route: Route): Question {
  const params: Record<string, string> = {
    externalId: 'customer-4711',
    kind: 'o',
    attributesType: 'MatchAttributes',
    activityId: 'match-3',
    msgId,
    itemId: newId(),
    id: route.path.includes('campaigns') ? campaignId : newId(),
  }
  const [body] = Object.values(exampleOf[route.name]?.bodies ?? {})
  return {
    method: route.method.toUpperCase(),
    path: route.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '') + (queries[route.name] ?? ''),
    headers: route.key === 'none' ? {} : { authorization: `Bearer ${app.secretKey}` },
    ...(body === undefined ? {} : { body }),
  }
}

/** Makes requests that are refused because something is wrong with them. `provoke` brings about the other errors, most by refusals of fakes. */
const provocations: Partial<Record<FaultCode, (right: Question, route: Route) => Question>> = {
  unauthorized: (right) => ({ ...right, headers: {} }),
  invalid_body: (right, { body }) =>
    body === undefined
      ? { ...right, path: `${right.path}${right.path.includes('?') ? '&' : '?'}nobody=1` }
      : { ...right, body: Object.assign({ nobody: 1 }, right.body) },
  unsupported_media_type: ({ body, headers, ...right }) => ({
    ...right,
    headers: { ...headers, 'content-type': 'text/plain' },
    raw: JSON.stringify(body),
  }),
  body_too_large: ({ body: _body, headers, ...right }) => ({
    ...right,
    headers: { ...headers, 'content-type': 'application/json' },
    raw: `"${'x'.repeat(524_288)}"`,
  }),
  unknown_kind: (right) => ({ ...right, path: right.path.replace('/e/o/', '/e/q/') }),
  invalid_msg_id: (right) => ({ ...right, path: right.path.replace(msgId, `${msgId}A`) }),
}

async function provoke(route: Route, code: FaultCode): Promise<Told> {
  const right = rightQuestion(route)
  if (code === 'forbidden') return gateway.ask(await withWrongKey(route, right))
  if (code === 'rate_limited') return askTwice(await startGateway(addresses, once), right)
  if (code === 'not_found' && route.name === 'trackEvent') return gateway.ask({ ...right, path: '/v1/e/o/%ff' })
  if (code === 'not_found' && route.name === 'readWebPushKey') {
    const { secretKey } = await gateway.givenApp()
    return gateway.ask({ ...right, headers: { authorization: `Bearer ${secretKey}` } })
  }
  const provocation = provocations[code]
  if (provocation !== undefined) return gateway.ask(provocation(right, route))
  peers.refusal = new Fault(code, 'As the app behind says.')
  return gateway.ask(right)
}

async function withWrongKey(route: Route, right: Question): Promise<Question> {
  if (route.key === 'secret') return { ...right, headers: { 'x-app-key': app.publicKey } }
  const { body } = await gateway.admin('POST', `/apps/${app.appId}/keys`, { kind: 'secret', name: 'x', scopes: ['users:read'] })
  return { ...right, headers: { authorization: `Bearer ${String(body['key'])}` } }
}

async function askTwice(limited: GatewayUnderTest, question: Question): Promise<Told> {
  await limited.ask(question)
  const told = await limited.ask(question)
  await limited.stop()
  expect(told.headers['retry-after']).toMatch(/^\d+$/)
  expect(told.body.error?.message).toContain(`${String(told.headers['retry-after'])} seconds`)
  return told
}

const asDocumented = (route: Route, told: Told) =>
  whyNotDocumented(
    openApiDocument,
    { method: '', path: '', headers: {}, body: undefined, operation: operationOf(route), name: route.name, resource: '' },
    told,
  )

// spec: limits/document
test.each(publicRoutes.map((route) => [titleOf(route), route.status, route] as const))(
  'the operation %s answers a right request with %i, as the OpenAPI document says',
  async (_, status, route) => {
    // Without these answers there is no campaign and no device that could be explained.
    if (route.name === 'explainCampaign') for (const [{ subject }, answer] of fullAnswers) peers.answers.set(subject, () => answer)
    const told = await gateway.ask(rightQuestion(route))

    expect(told.status).toBe(status)
    expect(asDocumented(route, told)).toBeUndefined()
    const shown = exampleOf[route.name]?.answer ?? told.body
    expect(Object.keys(told.body)).toEqual(Object.keys(shown))
  },
)

/**
 * The errors that a batch answers for a single item. When another service refuses an item with one of them, the batch as a whole is answered 200;
 * batches.integration.test.ts tests that.
 */
const ofEachItem: ReadonlySet<string> = new Set(['rate_limited', 'queue_unavailable', 'database_unavailable'])

/** These routes ask no other service; database-away.integration.test.ts tests every route without a database. */
const asksNoApp: ReadonlySet<string> = new Set(['readWebPushKey'])

const outcomes = publicRoutes.flatMap((route) =>
  Object.entries(operationOf(route).responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => {
      const content = resolve(openApiDocument, response)['content'] as Record<string, { examples?: Record<string, unknown> }>
      return Object.keys(content['application/json']?.examples ?? {})
        .filter((code) => !(route.inParts && ofEachItem.has(code)))
        .filter(() => !(asksNoApp.has(route.name) && status === '503'))
        .map((code) => [titleOf(route), Number(status), code as FaultCode, route] as const)
    }),
)

// spec: limits/error-codes, limits/rate-exceeded
test.each(outcomes)('the operation %s can answer %i %s, as the OpenAPI document says', async (_, status, code, route) => {
  const told = await provoke(route, code)

  expect([told.status, told.body.error?.code]).toEqual([status, code])
  expect(status).toBe(faultStatus[code])
  expect(told.body.error?.message).toMatch(/\S/)
  const unknownFields = (told.body.error?.details ?? []).filter(({ path }) => path === 'nobody')
  expect(unknownFields).toHaveLength(code === 'invalid_body' ? 1 : 0)
  // `asDocumented` takes every 5xx for a mistake of Herald's, so a 503 that the document promises is not given to it. The status and code of that 503
  // were compared above.
  expect(status === 503 ? undefined : asDocumented(route, told)).toBeUndefined()
})
