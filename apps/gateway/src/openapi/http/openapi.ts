import { faultStatus, type FaultCode } from '@herald/contracts/fault'
import {
  OpenApiBuilder,
  type HeadersObject,
  type OpenAPIObject,
  type OperationObject,
  type ParameterObject,
  type ReferenceObject,
  type ResponseObject,
  type ResponsesObject,
  type SchemaObject,
  type SecuritySchemeObject,
  type TagObject,
} from 'openapi3-ts/oas31'
import { z } from 'zod'
import { Unhealthy } from '../../http/answers.ts'
import { largestBodyOf } from '../../http/route.ts'
import { category } from '../../http/shop.ts'
import type { Example } from '../../http/shop.ts'
import { exampleFault, exampleParam } from './examples.ts'
import { jsonSchemaOf, writtenSchemas } from './openapi-schemas.ts'
import type { Route } from '../../http/route.ts'

/** What an OpenAPI document says of all its operations together. */
export type Api = {
  title: string
  version: string
  description: string
  tags: readonly TagObject[]
  tagOf: (path: string) => string
  security: Readonly<Record<string, SecuritySchemeObject>>
  parameters: Readonly<Record<string, ParameterObject>>
  /** Gives the example bodies and the example answer of a route, by the route's name. */
  exampleOf: (name: string) => Example | undefined
  /** Example messages of errors, where they differ from those of the public document. */
  faultMessages?: Partial<Record<FaultCode, string>>
  /** Describes what Herald posts to webhook endpoints. */
  webhooks?: (builder: OpenApiBuilder) => NonNullable<OpenAPIObject['webhooks']>
}

/** Makes the OpenAPI 3.1 document of these routes from the same values that the server works with. */
export function describeApi(routes: readonly Route[], api: Api): OpenAPIObject {
  const builder = OpenApiBuilder.create({
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: {},
    tags: [...api.tags],
    components: {
      responses: {},
      schemas: { ...writtenSchemas },
      parameters: { ...api.parameters },
      headers: { ...headers },
      examples: { ...faultExamples, ...messagesOf(api.faultMessages ?? {}) },
    },
  })
  for (const [name, scheme] of Object.entries(api.security)) builder.addSecurityScheme(name, scheme)
  for (const route of routes) builder.addPath(templateOf(route.path), { [route.method]: operationOf(route, api, builder) })
  const { webhooks } = api
  return { ...builder.getSpec(), ...(webhooks && { webhooks: webhooks(builder) }) }
}

/** Writes a path in the form of OpenAPI: `/apps/{appId}` for `/apps/:appId`. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

const wholeNumber: SchemaObject = { type: 'integer', minimum: 0 }
const headers: HeadersObject = {
  'x-request-id': { description: 'Names this request in the log.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests per minute, where there is a limit.', schema: wholeNumber },
  'RateLimit-Remaining': { description: 'Requests left in this minute.', schema: wholeNumber },
  'RateLimit-Reset': { description: 'Seconds until the next minute begins.', schema: wholeNumber },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: wholeNumber },
  'Idempotent-Replayed': { description: 'true: this is the answer of an earlier request.', schema: { type: 'string', enum: ['true'] } },
  'WWW-Authenticate': { description: 'Bearer', schema: { type: 'string' } },
}
const refer = (kind: 'parameters' | 'headers' | 'schemas' | 'examples' | 'responses', name: string): ReferenceObject => ({
  $ref: `#/components/${kind}/${name}`,
})
const headersNamed = (...names: string[]): HeadersObject => Object.fromEntries(names.map((name) => [name, refer('headers', name)]))
const limitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

const faultExamples = Object.fromEntries(
  Object.entries(exampleFault).map(([code, { message, path }]) => [
    code,
    { value: { error: path === undefined ? { code, message } : { code, message: `${path} ${message}`, details: [{ path, message }] } } },
  ]),
)

const messagesOf = (messages: Partial<Record<FaultCode, string>>) =>
  Object.fromEntries(Object.entries(messages).map(([code, message]) => [code, { value: { error: { code, message } } }]))

function operationOf(route: Route, api: Api, builder: OpenApiBuilder): OperationObject {
  const body = route.body && {
    description: `JSON of at most ${largestBodyOf(route) / 1024} KiB.`,
    required: !route.body.safeParse(undefined).success,
    content: {
      'application/json': {
        schema: addSchema(builder, `${capital(route.name)}Body`, route.shownBody ?? route.body),
        examples: Object.fromEntries(Object.entries(api.exampleOf(route.name)?.bodies ?? {}).map(([name, value]) => [name, { value }])),
      },
    },
  }
  return {
    operationId: route.name,
    tags: [api.tagOf(route.path)],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.scope === undefined ? {} : { 'x-required-scope': route.scope }),
    ...(route.alsoScope === undefined ? {} : { 'x-also-required-scope': route.alsoScope }),
    security: securityOf(route),
    parameters: parametersOf(route),
    ...(body === undefined ? {} : { requestBody: body }),
    ...(route.takes === undefined ? {} : { requestBody: fileBody(route.takes) }),
    responses: responsesOf(route, api, builder),
  }
}

const fileBody = (takes: readonly string[]) => ({
  required: true,
  content: Object.fromEntries(takes.map((mediaType) => [mediaType, { schema: { type: 'string' as const } }])),
})

function securityOf(route: Route): Record<string, string[]>[] {
  const { key } = route
  if (route.key === 'admin')
    return [{ administrationToken: [] }, ...(route.scope === 'platform' ? [] : [{ administrationKey: [] }]), { session: [] }]
  if (key === 'secret') return [{ secretKey: [] }]
  if (key === 'public') return [{ publicKey: [] }, { secretKey: [] }]
  return []
}

function parametersOf(route: Route): (ParameterObject | ReferenceObject)[] {
  const inPath = paramsOf(route.path).map((name): ParameterObject => ({
    name,
    in: 'path',
    required: true,
    schema: route.texts?.includes(name) ? { type: 'string' } : { type: 'string', pattern: '^[0-9a-f]{24}$' },
    example: exampleParam[name] ?? exampleId(route.path),
  }))
  return [
    ...inPath,
    ...queryOf(route),
    ...(route.idempotent ? [refer('parameters', route.idempotent === 'items' ? 'ItemsIdempotencyKey' : 'IdempotencyKey')] : []),
    ...(route.identified ? [refer('parameters', 'IdentityToken')] : []),
    ...(route.key === 'admin' ? [refer('parameters', 'AdminActor')] : []),
    refer('parameters', 'RequestId'),
  ]
}

const paramsOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** Gives the example id for a path, by the kind of thing that the path names. */
const exampleId = (path: string): string => {
  if (path.includes('/categories/')) return category.id
  const kinds = ['subscriptions', 'users', 'segments', 'templates', 'campaigns']
  return `671a2b3c4d5e6f7081920a0${kinds.findIndex((kind) => path.includes(`/${kind}/`)) + 1}`
}

function queryOf({ query }: Route): ParameterObject[] {
  if (query === undefined) return []
  const { schema } = jsonSchemaOf(query)
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property as SchemaObject
    return {
      name,
      in: 'query',
      required: schema.required?.includes(name) ?? false,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }
  })
}

function responsesOf(route: Route, api: Api, builder: OpenApiBuilder): ResponsesObject {
  const success = headersNamed(
    'x-request-id',
    ...(isCounted(route) ? limitHeaders : []),
    ...(route.idempotent === true ? ['Idempotent-Replayed'] : []),
  )
  const responses: ResponsesObject = {
    [route.status]: {
      description: route.status === 204 ? 'Done; there is no body.' : route.summary,
      headers: success,
      ...contentOf(route, api, builder),
    },
  }
  for (const [status, schema] of Object.entries(route.alsoAnswers ?? {})) {
    const content = { 'application/json': { schema: addSchema(builder, `${capital(route.name)}Answer${status}`, schema) } }
    responses[status] = { description: route.summary, headers: success, content }
  }
  const byStatus = Map.groupBy(faultsOf(route), (code) => faultStatus[code])
  for (const [status, codes] of [...byStatus].toSorted(([one], [other]) => one - other))
    responses[status] = addError(builder, status, codes, isCounted(route))
  if (route.path === '/health') {
    responses['503'] = {
      description: 'The database is unreachable.',
      headers: headersNamed('x-request-id'),
      content: {
        'application/json': { schema: addSchema(builder, 'Unhealthy', Unhealthy), example: { status: 'unavailable', db: 'unreachable' } },
      },
    }
  }
  responses['default'] = {
    description: 'Any other error has the same shape.',
    content: { 'application/json': { schema: refer('schemas', 'Error') } },
  }
  return responses
}

/**
 * Whether a rate limit counts the requests of a route. Every request with an API key is counted, and so is a request without a key on a route that
 * names a limit.
 */
const isCounted = ({ limit, key }: Route): boolean => limit !== undefined || key === 'public' || key === 'secret'

function contentOf(route: Route, api: Api, builder: OpenApiBuilder): Pick<ResponseObject, 'content'> {
  if (route.mediaType !== undefined)
    return { content: { [route.mediaType]: { schema: route.mediaType === 'application/json' ? { type: 'object' } : { type: 'string' } } } }
  if (route.answers === undefined) return {}
  const example = api.exampleOf(route.name)?.answer
  const schema = addSchema(builder, `${capital(route.name)}Answer`, route.answers)
  return { content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } }
}

/**
 * Adds the response for this error status and these codes to the document's components, and gives a reference to it. Most routes share these
 * responses.
 */
function addError(builder: OpenApiBuilder, status: number, codes: FaultCode[], counted: boolean): ReferenceObject {
  const name = `${status}-${codes.join('-')}`
  const limited = status === 429 ? [...(counted ? limitHeaders : []), 'Retry-After'] : []
  builder.addResponse(name, {
    description: codes.join(', '),
    headers: headersNamed('x-request-id', ...limited, ...(status === 401 ? ['WWW-Authenticate'] : [])),
    content: {
      'application/json': {
        schema: refer('schemas', 'Error'),
        examples: Object.fromEntries(codes.map((code) => [code, refer('examples', code)])),
      },
    },
  })
  return refer('responses', name)
}

/** Gives the faults that follow from the route's values, and those that the route itself lists. */
function faultsOf(route: Route): FaultCode[] {
  return [
    ...new Set<FaultCode>([
      ...(route.key === 'none' ? [] : (['unauthorized'] as const)),
      // With an API key: the key may not do this. In the administration: another page than the dashboard's sent the cookie, or
      // a change has no valid x-csrf-token.
      ...(route.key === 'none' ? [] : (['forbidden'] as const)),
      // When no administration token is set, every path of the administration answers 404.
      ...(paramsOf(route.path).length > 0 || isOfAdministration(route) ? (['not_found'] as const) : []),
      ...(route.limit === undefined && route.key === 'none' ? [] : (['rate_limited'] as const)),
      ...(route.body === undefined ? [] : (['unsupported_media_type', 'body_too_large'] as const)),
      ...(route.key === 'none' ? [] : (['invalid_body'] as const)),
      ...(route.faults ?? []),
      ...(route.withoutDatabase ? [] : (['database_unavailable', 'queue_unavailable'] as const)),
    ]),
  ]
}

const isOfAdministration = ({ key }: Route): boolean => key === 'admin' || key === 'sign-in'

/** Adds a schema to the document's components, under its own name when it has one, else under `name`. Gives a reference to it. */
export function addSchema(builder: OpenApiBuilder, name: string, zod: z.ZodType): SchemaObject | ReferenceObject {
  const { schema, parts } = jsonSchemaOf(zod)
  for (const [part, value] of Object.entries(parts)) builder.addSchema(part, value)
  if (schema.$ref !== undefined) return { $ref: schema.$ref }
  builder.addSchema(name, schema)
  return refer('schemas', name)
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
