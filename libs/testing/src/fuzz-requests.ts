import { firstCodePoints } from '@herald/contracts/text'
import { hostileTexts, mutated, seeded, valueOf, type Random } from './fuzz-values.ts'
import { resolve, whyNotSchema } from './json-schema.ts'

/** An OpenAPI 3.1 document, as JSON. */
export type ApiDocument = { paths?: Record<string, unknown> }
type Operation = { template: string; method: string; operation: Record<string, unknown> }

export type FuzzRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer | undefined
  /** The operation of the request in the document; undefined when there is none. */
  operation: Record<string, unknown> | undefined
  /** The operationId of the operation, or `none`. */
  name: string
  /** The resource that the path names: `users`, `segments` … */
  resource: string
}
export type FuzzResponse = { status: number; headers: Record<string, unknown>; text: string }
/** The keys with which requests are made. Tracking ids are signed, so valid ones must be given. */
export type Credentials = { secretKey: string; publicKey: string; msgIds?: readonly string[] }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : 'none')
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const record = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {})

const operationsOf = (document: ApiDocument): Operation[] =>
  Object.entries(document.paths ?? {}).flatMap(([template, methods]) =>
    Object.entries(record(methods)).map(([method, operation]) => ({ template, method, operation: record(operation) })),
  )

/**
 * Makes requests to the operations of an OpenAPI document. Some are right; many have a mistake in path, query, key, headers or body. The same seed
 * makes the same requests, except for the ids that `learn` takes from answers.
 */
export function fuzzRequests(document: ApiDocument, { secretKey, publicKey, msgIds = [] }: Credentials, seed: number) {
  const random = seeded(seed)
  const operations = operationsOf(document)
  const known = new Map<string, string[]>()
  const oneOf = (ids: string[]) => ids[random.upTo(ids.length)] ?? '671a2b3c4d5e6f7081920a01'
  const idOf = (resource: string) => oneOf(known.get(resource) ?? [])
  const anyId = () => oneOf([...known.values()].flatMap((ids) => ids.slice(-20)))

  function next(): FuzzRequest {
    const chosen = operations[random.upTo(operations.length)]
    if (!chosen) throw new Error('the document has no operations')
    const parameters = list(chosen.operation['parameters']).map((parameter) => resolve(document, parameter))
    const resource = resourceOf(chosen.template)
    const path = chosen.template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      pathPart(random, name, () => (name === 'msgId' ? msgIds[random.upTo(msgIds.length)] : undefined) ?? idOf(resource)),
    )
    const request = {
      method: chosen.method.toUpperCase(),
      path: path + queryFor(document, random, parameters),
      headers: { ...keyHeaders(random, chosen.operation, { secretKey, publicKey }), ...otherHeaders(random, parameters) },
      body: undefined,
      operation: chosen.operation,
      name: textOf(chosen.operation['operationId']),
      resource,
    }
    const withBody = { ...request, ...bodyFor(document, random, chosen.operation, anyId, request.headers) }
    return random.chance(0.03) ? astray(document, random, withBody) : withBody
  }

  /** Remembers the ids of an answer, so that later requests use ids that exist. */
  function learn({ resource }: FuzzRequest, text: string): void {
    for (const [, name = '', found = ''] of text.matchAll(/"(id|userId)":"([0-9a-f]{24})"/g)) {
      const kind = name === 'userId' ? 'users' : resource
      known.set(kind, [...(known.get(kind) ?? []).slice(-100), found])
    }
  }
  return { next, learn }
}

/** Gives the resource of a path. A notification is a campaign, and the routes of campaigns read it. */
const resourceOf = (template: string): string => (template.split('/')[2] ?? '').replace('notifications', 'campaigns')

const cut = (text: string, length: number): string => firstCodePoints(text, length).toWellFormed()

function pathPart(random: Random, name: string, id: () => string): string {
  if (random.chance(0.12)) return encodeURIComponent(cut(random.pick(hostileTexts), 200)) || '%20'
  if (name === 'externalId') return `customer-${random.upTo(40)}`
  if (name === 'kind') return random.pick(['d', 'o', 'c', 'x'])
  if (name === 'msgId' && random.chance(0.3)) return random.pick(['eHh4.AAAA', `${'A'.repeat(120)}.${'A'.repeat(22)}`, '.', 'a.b.c'])
  return random.chance(0.1) ? random.pick(['f'.repeat(24), 'F'.repeat(24), 'f'.repeat(23)]) : id()
}

function queryFor(document: unknown, random: Random, parameters: Record<string, unknown>[]): string {
  const given = parameters
    .filter((parameter) => parameter['in'] === 'query' && random.chance(0.4))
    .map((parameter): [string, string] => [
      String(parameter['name']),
      random.chance(0.3) ? cut(random.pick(hostileTexts), 300) : String(valueOf(document, parameter['schema'], random, () => 'x')),
    ])
  if (random.chance(0.03)) given.push([cut(random.pick(hostileTexts), 50), 'x'], ...given.slice(0, 1))
  if (random.chance(0.01)) return random.pick(['?%', '?&&=', '?limit[]=1', '?limit=1&limit=2', '?__proto__[a]=1', '?'])
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

function keyHeaders(random: Random, operation: Record<string, unknown>, { secretKey, publicKey }: Credentials): Record<string, string> {
  const needed = list(operation['security'])
  if (needed.length === 0) return {}
  const takesPublic = needed.some((one) => 'publicKey' in record(one))
  if (random.chance(0.9)) return takesPublic && random.chance(0.5) ? { 'x-app-key': publicKey } : { authorization: `Bearer ${secretKey}` }
  return random.pick<Record<string, string>>([
    {},
    { 'x-app-key': publicKey },
    { authorization: `Bearer ${secretKey.slice(0, -1)}` },
    { authorization: `Basic ${secretKey}` },
    { authorization: 'Bearer ' },
    { 'x-app-key': secretKey },
    { authorization: `Bearer ${'x'.repeat(2_000)}` },
  ])
}

/** Makes a text that a header can carry. */
const inHeader = (text: string): string => cut(text, 300).replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?')

function otherHeaders(random: Random, parameters: Record<string, unknown>[]): Record<string, string> {
  const given = parameters.filter((parameter) => parameter['in'] === 'header' && random.chance(0.15))
  return Object.fromEntries(
    given.map((parameter) => [
      String(parameter['name']).toLowerCase(),
      random.chance(0.5) ? `again-${random.upTo(20)}` : inHeader(random.pick(hostileTexts)),
    ]),
  )
}

function bodyFor(
  document: unknown,
  random: Random,
  operation: Record<string, unknown>,
  id: () => string,
  headers: Record<string, string>,
): Partial<FuzzRequest> {
  const content = record(record(record(operation['requestBody'])['content'])['application/json'])
  const withType = (body: string | Buffer, type = 'application/json') => ({ body, headers: { ...headers, 'content-type': type } })
  if (content['schema'] === undefined) return random.chance(0.1) ? withType(JSON.stringify(random.pick(hostileTexts))) : {}
  if (random.chance(0.02)) return {}

  const shown = Object.values(record(content['examples'])).map((example) => record(example)['value'])
  let value = shown.length > 0 && random.chance(0.6) ? shown[random.upTo(shown.length)] : valueOf(document, content['schema'], random, id)
  for (let times = random.pick([0, 0, 1, 1, 1, 2, 3]); times > 0; times--) value = mutated(value, random)
  const json = JSON.stringify(value) ?? 'undefined'

  if (random.chance(0.03)) return withType(broken(random, json))
  if (random.chance(0.02))
    return withType(
      json,
      random.pick([
        'text/plain',
        'application/json; charset=utf-16',
        '',
        'multipart/form-data; boundary=x',
        'application/merge-patch+json',
      ]),
    )
  if (random.chance(0.01))
    return { body: json, headers: { ...headers, 'content-type': 'application/json', 'content-encoding': random.pick(['gzip', 'br', 'x']) } }
  return withType(json)
}

function broken(random: Random, json: string): string | Buffer {
  const kind = random.upTo(30)
  if (kind === 0) return `"${'x'.repeat(600_000)}"`
  if (kind === 1) return '['.repeat(100_000)
  if (kind === 2) return `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`
  if (kind === 3)
    return JSON.stringify({ segment: { field: 'tags.a', op: 'in', value: Array.from({ length: 60_000 }, () => 1e20) } }).replaceAll(
      '100000000000000000000',
      '1e20',
    )
  if (kind < 12) return json.slice(0, random.upTo(json.length))
  if (kind < 18) return `${json}${random.pick(['}', ',', ' x', '\0', json])}`
  if (kind < 24) return Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x7d])])
  return json.replace('{', random.pick(['{"__proto__":{"a":1},', '{"constructor":1,', '{,', '{"a":1e999,', '{"a":"\\ud800",']))
}

/** Changes the method or path of a request. The request then counts as one to no operation, even when an operation has the new method and path. */
function astray(document: ApiDocument, random: Random, request: FuzzRequest): FuzzRequest {
  if (random.chance(0.5)) {
    const method = random.pick(['GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS', 'TRACE', 'PROPFIND'])
    return method === request.method ? request : { ...request, method, operation: undefined, name: 'none' }
  }
  const path = random.pick([
    `${request.path}/`,
    `/${request.path}`,
    request.path.toUpperCase(),
    request.path.replace('/v1', '/v2'),
    `${request.path}%`,
    `/v1/admin${request.path}`,
  ])
  return { ...request, path: path.replace('?', ';'), operation: undefined, name: 'none' }
}

/**
 * Says why a response is not what the document promises; undefined when it is. An unlisted request may get any status below 400, or a refusal that is
 * empty or has the form of an error.
 */
export function whyNotDocumented(document: ApiDocument, request: FuzzRequest, { status, headers, text }: FuzzResponse): string | undefined {
  if (status >= 500) return `the status is ${status}`
  if (typeof headers['x-request-id'] !== 'string') return 'x-request-id is missing'
  if (request.operation === undefined) return status < 400 ? undefined : whyNotError(document, text)

  const listed = record(request.operation['responses'])[String(status)]
  if (listed === undefined) return `the status ${status} is not documented`
  const response = resolve(document, listed)
  for (const [name, header] of Object.entries(record(response['headers']))) {
    if (resolve(document, header)['required'] === true && headers[name.toLowerCase()] === undefined) return `the header ${name} is missing`
  }
  const [[mediaType, content] = []] = Object.entries(record(response['content']))
  if (mediaType === undefined) return text === '' ? undefined : `the status ${status} has a body`
  if (!String(headers['content-type']).startsWith(mediaType)) return `the content type is ${String(headers['content-type'])}`
  if (mediaType !== 'application/json') return undefined
  const body = parsed(text)
  const codes = Object.keys(record(record(content)['examples']))
  const code = record(record(body)['error'])['code']
  if (status >= 400 && !codes.includes(String(code))) return `the code ${String(code)} is not documented for ${status}`
  return whyNotSchema(document, record(content)['schema'], body)
}

const whyNotError = (document: ApiDocument, text: string): string | undefined =>
  text === '' ? undefined : whyNotSchema(document, { $ref: '#/components/schemas/Error' }, parsed(text))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
