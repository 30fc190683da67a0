import type { ParameterObject } from 'openapi3-ts/oas31'
import { exampleOf } from './examples.ts'
import type { Api } from './openapi.ts'
import { describeDeliveries } from './openapi-webhooks.ts'

/** Headers that several operations take. The administration's document has them too, except `IdentityToken`. */
export const commonParameters = {
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    description:
      'The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'order-17-shipped',
  },
  ItemsIdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Gives each item without a key of its own the key `<Idempotency-Key>:<index>`: the same request again sends only what is missing, as long as keys are kept (24 hours unless the operator sets another time).',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'orders-of-today',
  },
  IdentityToken: {
    name: 'x-identity-token',
    in: 'header',
    description:
      'Needed with a public key and an externalId when the app requires identity verification: an HS256 JWT over its identity secret, sub = externalId, exp within an hour.',
    schema: { type: 'string' },
  },
} satisfies Record<string, ParameterObject>

/** What the OpenAPI document of the public API says of all its operations. The public API changes only by adding (spec: limits/versioning). */
export const publicApi: Api = {
  title: 'Herald',
  version: '1.0.0',
  description:
    'Push notifications to iOS, Android and web devices. Bodies are JSON; ids are 24 hexadecimal characters; times are ISO 8601 in UTC.',
  tags: [
    { name: 'subscriptions', description: 'Devices.' },
    { name: 'users', description: 'The people behind devices.' },
    { name: 'notifications', description: 'Sends at once.' },
    { name: 'campaigns', description: 'Sends with a name, a schedule, an experiment.' },
    { name: 'segments', description: 'Saved audiences.' },
    { name: 'templates', description: 'Saved contents.' },
    { name: 'tracking', description: 'What devices report.' },
    { name: 'webhooks', description: 'What Herald posts to your backend.' },
    { name: 'service', description: 'The service itself.' },
  ],
  tagOf: (path) => {
    const resource = path.startsWith('/v1/') ? (path.split('/')[2] ?? '') : 'service'
    return { e: 'tracking', u: 'tracking', 'web-push-key': 'subscriptions' }[resource] ?? resource
  },
  security: {
    secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key, sk_live_…, for backends.' },
    publicKey: { type: 'apiKey', in: 'header', name: 'x-app-key', description: 'A public key, pk_live_…, for apps and pages.' },
  },
  parameters: commonParameters,
  exampleOf: (name) => exampleOf[name],
  webhooks: describeDeliveries,
}
