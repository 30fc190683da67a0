import { adminToken, http } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { ok, textOf, untilStatus } from './campaigns.ts'

// Every operation of both OpenAPI documents is called for one app with the ids of another one.

type Parameter = { name: string; in: string; required?: boolean; example?: string | number }
type Operation = {
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, { examples?: Record<string, { value: unknown }> }> }
}
type Document = { paths: Record<string, Record<string, Operation>> }
type Ids = Record<string, string>

/** Stands in every text of the victim's app, so that an answer with one of them shows it. */
const mark = 'owned-by-the-victim'
const herald = await sharedPlatform()
const [victim, intruder] = [await givenTenant(herald), await givenTenant(herald)]

/** Makes one of each thing in the victim's app. Gives their ids by the part of a path that precedes them, and by the name of a field. */
async function givenThings(tenant: Tenant) {
  const made = async (path: string, body: unknown, status = 201) => ok(await tenant.admin<{ id: string }>('POST', path, body), status).id
  const [device] = await tenant.makeDevices('ios', 1)
  if (!device) throw new Error('the simulator made no device')
  const { id: subscriptionId, userId } = await tenant.register(device, { externalId: `${mark}-person` })
  ok(await tenant.admin('PATCH', `/subscriptions/${subscriptionId}`, { test: true }), 200)
  ok(await tenant.admin('PATCH', `/users/${userId}`, { tags: { plan: mark } }), 200)
  const segmentId = await made('/segments', { name: mark, definition: {} })
  const templateId = await made('/templates', { name: mark, content: textOf(mark) })
  const draftId = await made('/campaigns', { name: mark, content: textOf(mark) })
  // The endpoint asks for an event that does not happen here, so that no delivery changes it.
  const webhookId = await made('/webhooks', { url: `https://backend.shop.example/${mark}`, eventTypes: ['subscription.invalidated'] })
  const importId = await made('/imports', { format: 'csv' })
  const keys = ok(await tenant.admin<{ items: { id: string }[] }>('GET', '/keys'), 200).items
  const sent = ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { content: textOf(mark), target: { all: true } }), 202).id
  await untilStatus(victim, sent, 'sent')
  const ids = { subscriptionId, userId, segmentId, templateId, webhookId, importId, keyId: keys[0]?.id ?? '', externalId: `${mark}-person` }
  return { device, ids, campaigns: [draftId, sent] }
}
const { device, ids: things, campaigns } = await givenThings(victim)

const documents = await Promise.all(
  ['/openapi.json', '/v1/admin/openapi.json'].map(async (path) =>
    ok(await http<Document>('GET', `${herald.baseUrl}${path}`, { headers: { authorization: `Bearer ${adminToken}` } }), 200),
  ),
)
/** Ids of the documents' examples, and the field in whose place each stands. */
const inExamples: [example: string, field: string][] = [
  ['671a2b3c4d5e6f7081920a01', 'subscriptionId'],
  ['671a2b3c4d5e6f7081920a02', 'userId'],
  ['671a2b3c4d5e6f7081920a03', 'segmentId'],
  ['671a2b3c4d5e6f7081920a04', 'templateId'],
  ['671a2b3c4d5e6f7081920a05', 'campaignId'],
  ['671a2b3c4d5e6f7081920a06', 'appId'],
]
const fieldOf: Record<string, string> = {
  subscriptions: 'subscriptionId',
  users: 'userId',
  campaigns: 'campaignId',
  segments: 'segmentId',
  templates: 'templateId',
  webhooks: 'webhookId',
  imports: 'importId',
}
/** What belongs to no app, or ends the intruder's own: the platform's operations, and deleting the app. */
const isOfPlatform = (method: string, path: string) =>
  (path.startsWith('/v1/admin') && !path.includes('{appId}')) || (method === 'delete' && path.endsWith('/apps/{appId}'))

/** Fills in an operation's path, query and bodies with ids. */
function requestsOf(method: string, path: string, { parameters = [], requestBody }: Operation, ids: Ids) {
  const real = (text: string) => inExamples.reduce((filled, [example, field]) => filled.replaceAll(example, ids[field] ?? ''), text)
  const filled = path
    .replace('{appId}', intruder.appId)
    .replace(/\/(\w+)\/\{id\}/g, (_, kind: string) => `/${kind}/${ids[fieldOf[kind] ?? ''] ?? 'unknown'}`)
    .replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? String(parameters.find((one) => one.name === name)?.example ?? 'unknown'))
  const asked = parameters.filter((one) => one.in === 'query' && (one.required || ids[one.name] !== undefined))
  const query = asked.map(({ name, example }) => `${name}=${encodeURIComponent(ids[name] ?? real(String(example ?? '')))}`).join('&')
  const [type = '', media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const examples = Object.values(media?.examples ?? {}).map(({ value }) => real(typeof value === 'string' ? value : JSON.stringify(value)))
  const bodies = type === '' ? [undefined] : examples.length > 0 ? examples : ['platform,token\n']
  return bodies.map((body) => ({ method: method.toUpperCase(), url: `${filled}${query && `?${query}`}`, type, body }))
}

async function ask({ method, url, type, body }: ReturnType<typeof requestsOf>[number], credential: Record<string, string>) {
  const response = await fetch(`${herald.baseUrl}${url}`, {
    method,
    headers: { ...credential, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(30_000),
  })
  // A stream does not end. Its status alone tells.
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, code: 'stream', text: '' }
  }
  const text = await response.text()
  return { status: response.status, code: /"code":"(\w+)"/.exec(text)?.[1] ?? '', text }
}

const reads = ['', `/users/${things.userId}`, `/subscriptions/${things.subscriptionId}`, `/segments/${things.segmentId}`]
  .concat(`/templates/${things.templateId}`, `/webhooks/${things.webhookId}`, `/imports/${things.importId}`)
  .concat(campaigns.map((id) => `/campaigns/${id}`))
const stateOf = () => Promise.all(reads.map(async (path) => ok(await victim.admin('GET', path), 200)))

// spec: limits/foreign-ids
test('with ids of another app every operation answers as for nobody’s, and nothing of the other app changes', async () => {
  const before = await stateOf()
  const pushes = () => victim.simulator<{ pushes: unknown[] }>('GET', `/pushes?deviceId=${device.id}`)
  const arrived = (await pushes()).pushes.length
  const nobodys: Ids = Object.fromEntries(
    Object.keys(things).map((name) => [name, name === 'externalId' ? 'nobody' : `${'0'.repeat(20)}beef`]),
  )
  const credentials = [
    [{ authorization: `Bearer ${intruder.secretKey}` }, { 'x-app-key': intruder.publicKey }],
    [{ authorization: `Bearer ${adminToken}` }],
  ]

  const wrong: unknown[] = []
  let [asked, named] = [0, 0]
  for (const [place, { paths }] of documents.entries())
    for (const [path, methods] of Object.entries(paths))
      for (const [method, operation] of Object.entries(methods)) {
        if (isOfPlatform(method, path)) continue
        for (const credential of credentials[place] ?? [])
          for (const campaignId of campaigns) {
            const foreign = requestsOf(method, path, operation, { ...things, campaignId, appId: victim.appId })
            const unknown = requestsOf(method, path, operation, {
              ...nobodys,
              campaignId: nobodys['userId'] ?? '',
              appId: nobodys['userId'] ?? '',
            })
            for (const [n, request] of foreign.entries()) {
              const answer = await ask(request, credential)
              asked += 1
              // An operation that names nothing foreign can only leak.
              const namesNothing = JSON.stringify(request) === JSON.stringify(unknown[n])
              const expected = namesNothing ? answer : await ask(unknown[n]!, credential)
              named += Number(!namesNothing)
              const isSame = answer.status === expected.status && answer.code === expected.code
              // A name that the first of the two requests took is taken for the second.
              const isTaken = answer.status < 300 && expected.code === 'duplicate_name'
              const echoed = `${request.url}${request.body ?? ''}`.includes(mark)
              if ((!isSame && !isTaken) || (answer.text.includes(mark) && !echoed) || answer.status >= 500)
                wrong.push([
                  request.method,
                  request.url,
                  answer.status,
                  answer.code,
                  expected.status,
                  expected.code,
                  answer.text.slice(0, 200),
                ])
            }
          }
      }

  expect(wrong).toEqual([])
  expect([asked > 300, named > 150]).toEqual([true, true])
  expect(await stateOf()).toEqual(before)
  expect((await pushes()).pushes.length).toBe(arrived)
})
