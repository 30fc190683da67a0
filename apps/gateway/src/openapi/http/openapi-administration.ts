import { exampleOf } from './examples.ts'
import type { Api } from './openapi.ts'
import { commonParameters } from './openapi-public.ts'

const { IdentityToken: _ofTheSdks, ...shared } = commonParameters

/**
 * What the OpenAPI document of the administration says of all its operations (spec: administration/document). They may change with any version of
 * Herald.
 */
export const administrationApi: Api = {
  title: 'Herald administration',
  version: '1.0.0',
  description:
    'The API of the dashboard. It is not promised to be stable: it may change with any version of Herald. Bodies, errors and lists have the form of the public API.',
  tags: [
    { name: 'apps', description: 'Apps and their settings.' },
    { name: 'keys', description: 'API keys, and keys of the administration.' },
    { name: 'providers', description: 'Credentials of APNs, FCM and Web Push, and the circuits to them.' },
    { name: 'pushes', description: 'What became of each push.' },
    { name: 'webhooks', description: 'Endpoints and their deliveries.' },
    { name: 'audit', description: 'Who changed what.' },
    { name: 'segments', description: 'Saved audiences.' },
    { name: 'templates', description: 'Saved contents.' },
    { name: 'categories', description: 'Kinds of notifications that people may join or leave.' },
    { name: 'campaigns', description: 'Sends with a name, a schedule, an experiment.' },
    { name: 'drafts', description: 'What is written and not yet a campaign.' },
    { name: 'pictures', description: 'Pictures of messages, which devices load from Herald.' },
    { name: 'session', description: 'Signing in and out.' },
    { name: 'simulator', description: 'Virtual phones and browsers, where the providers are simulated.' },
    { name: 'system', description: 'Herald itself.' },
  ],
  tagOf: (path) => {
    const [, , , resource = '', appId, ofApp] = path.split('/')
    if (resource === 'session' || resource === 'sign-in-links') return 'session'
    if (resource === 'simulator') return 'simulator'
    if (ofApp === 'admin-keys') return 'keys'
    if (resource !== 'apps') return resource === 'audit' ? 'audit' : 'system'
    return appId === undefined || ofApp === undefined || ofApp === 'identity-secret' ? 'apps' : ofApp
  },
  security: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-herald',
      description: 'The cookie that POST /v1/admin/session sets. Changes need the header x-csrf-token too.',
    },
    administrationKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An administration key of one app, `ak_live_…`. The x-required-scope of an operation says which scope it needs; `any`: no particular one.',
    },
    administrationToken: { type: 'http', scheme: 'bearer', description: 'The token that ADMIN_TOKEN holds.' },
  },
  parameters: {
    ...shared,
    AdminActor: {
      name: 'x-admin-actor',
      in: 'header',
      description:
        'The name that the audit shows for this change. It is claimed and not proven. Without it: administrator. In a session the session’s name counts instead, and with an administration key the key’s name.',
      schema: { type: 'string', pattern: '^[\\x20-\\x7e]{1,128}$' },
      example: 'Ann Miller',
    },
  },
  faultMessages: {
    unauthorized: 'Give the administration token or an administration key: Authorization: Bearer <token or key>.',
    forbidden: 'A change needs the header x-csrf-token with the csrfToken that GET /v1/admin/session answers.',
  },
  exampleOf: (name) => exampleOf[name] ?? exampleOf[name.replace(/OfApp$/, '')],
}
