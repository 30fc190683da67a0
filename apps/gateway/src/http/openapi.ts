import { faultStatus, type FaultCode } from '@herald/contracts/fault'
import {
  OpenApiBuilder,
  type OpenAPIObject,
  type OperationObject,
  type ParameterObject,
  type ResponsesObject,
  type SchemaObject,
} from 'openapi3-ts/oas31'
import { z } from 'zod'
import { largestBody } from './body.ts'
import type { Route } from './route.ts'

/** The OpenAPI 3.1 document of these routes: drawn from the same values that the server works with. */
export function describeApi(routes: readonly Route[]): OpenAPIObject {
  const builder = OpenApiBuilder.create({
    openapi: '3.1.0',
    info: {
      title: 'Herald',
      version: '1.0.0',
      description: 'Push notifications to iOS, Android and web devices.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: {},
    components: { schemas: { Error: errorSchema } },
  })
  builder.addSecurityScheme('secretKey', { type: 'http', scheme: 'bearer', description: 'A secret key, sk_live_…, for backends.' })
  builder.addSecurityScheme('publicKey', {
    type: 'apiKey',
    in: 'header',
    name: 'x-app-key',
    description: 'A public key, pk_live_…, for apps and pages.',
  })
  for (const route of routes) builder.addPath(route.path.replaceAll(/:(\w+)/g, '{$1}'), { [route.method]: operationOf(route, builder) })
  return builder.getSpec()
}

const errorSchema: SchemaObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        details: {
          type: 'array',
          items: { type: 'object', required: ['path', 'message'], properties: { path: { type: 'string' }, message: { type: 'string' } } },
        },
      },
    },
  },
}

function operationOf(route: Route, builder: OpenApiBuilder): OperationObject {
  const parameters = parametersOf(route)
  return {
    operationId: route.name,
    tags: [tagOf(route.path)],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.scope === undefined ? {} : { 'x-required-scope': route.scope }),
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            description: `JSON of at most ${largestBody / 1024} KiB.`,
            required: !route.body.safeParse(undefined).success,
            content: { 'application/json': { schema: addSchema(builder, `${capital(route.name)}Body`, route.body) } },
          },
        }),
    responses: responsesOf(route, builder),
  }
}

const tagOf = (path: string): string => (path.startsWith('/v1/') ? (path.split('/')[2] ?? '') : 'service').replace(/^e$/, 'tracking')

function securityOf({ key }: Route): Record<string, string[]>[] {
  if (key === 'secret') return [{ secretKey: [] }]
  if (key === 'public') return [{ publicKey: [] }, { secretKey: [] }]
  return []
}

function parametersOf(route: Route): ParameterObject[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']): ParameterObject => ({
    name,
    in: 'path',
    required: true,
    schema: route.texts?.includes(name) ? { type: 'string' } : { type: 'string', pattern: '^[0-9a-f]{24}$' },
  }))
  if (!route.idempotent) return inPath
  const header: ParameterObject = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Within 24 hours the same request with the same key answers the first answer again, with Idempotent-Replayed: true.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }
  return [...inPath, header]
}

function responsesOf(route: Route, builder: OpenApiBuilder): ResponsesObject {
  const success = route.answers && {
    'application/json': { schema: addSchema(builder, `${capital(route.name)}Answer`, route.answers) },
  }
  const responses: ResponsesObject = { [route.status]: { description: route.summary, ...(success ? { content: success } : {}) } }
  const byStatus = Map.groupBy(faultsOf(route), (code) => faultStatus[code])
  for (const [status, codes] of [...byStatus].toSorted(([one], [other]) => one - other)) {
    responses[status] = {
      description: codes.join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  }
  if (route.path === '/health')
    responses['503'] = { description: 'The database is unreachable.', content: { 'application/json': { schema: { type: 'object' } } } }
  return responses
}

/** What follows from the route's values, and what it names itself. */
function faultsOf(route: Route): FaultCode[] {
  const hasId = /:/.test(route.path.replaceAll(/:(\w+)/g, (found, name: string) => (route.texts?.includes(name) ? '' : found)))
  return [
    ...new Set<FaultCode>([
      ...(route.key === 'none' ? [] : (['unauthorized', 'forbidden'] as const)),
      ...(hasId ? (['not_found'] as const) : []),
      ...(route.limit === undefined && route.key === 'none' ? [] : (['rate_limited'] as const)),
      ...(route.body === undefined ? [] : (['unsupported_media_type', 'body_too_large', 'invalid_body'] as const)),
      ...(route.key === 'none' ? [] : (['invalid_body'] as const)),
      ...(route.faults ?? []),
      ...(route.withoutDatabase ? [] : (['database_unavailable', 'queue_unavailable'] as const)),
    ]),
  ]
}

/**
 * Puts a zod schema among the components under this name and answers the reference. Parts that the schema refers to within
 * itself become components of their own, since a `$ref` counts from the root of the document.
 */
function addSchema(builder: OpenApiBuilder, name: string, schema: z.ZodType): SchemaObject {
  const json: Record<string, unknown> = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' })
  const { $schema: _schema, $id: _id, $defs: parts = {}, ...root } = json
  const here = (ref: string) => (ref === '#' ? `#/components/schemas/${name}` : ref.replace('#/$defs/', `#/components/schemas/${name}_`))
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, key === '$ref' && typeof item === 'string' ? here(item) : moved(item)]),
    )
  }
  builder.addSchema(name, moved(root) as SchemaObject)
  for (const [part, value] of Object.entries(parts as object)) builder.addSchema(`${name}_${part}`, moved(value) as SchemaObject)
  return { $ref: `#/components/schemas/${name}` }
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
