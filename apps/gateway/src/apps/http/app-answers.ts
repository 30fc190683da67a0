import { Id } from '@herald/contracts/text'
import { AdminScope, KeyKind, Scope, Settings } from '@herald/contracts/administration'
import type { App } from '@herald/contracts/app'
import { environments } from '@herald/contracts/batch'
import type { Circuit as CircuitRead } from '@herald/contracts/calls/audience'
import type { CheckedProvider } from '@herald/contracts/calls/dispatcher'
import { failureCodes } from '@herald/contracts/outcome'
import { platforms } from '@herald/contracts/platform'
import { z } from 'zod'
import { Count, describes, listOf, Time } from '../../http/answers.ts'
import type { ShownAdminKey } from '../store/admin-keys.ts'
import type { ShownKey } from '../store/api-keys.ts'

/* The schemas of what the administration answers about apps, keys and credentials. */

export const AppRead = describes<App>()(z.object({ id: Id, name: z.string(), settings: Settings, createdAt: Time }))
export const AppList = listOf(AppRead)
export const IdentitySecret = z.object({ secret: z.string().meta({ description: 'Shown this once.' }) })

const key = {
  id: Id,
  kind: KeyKind,
  name: z.string(),
  scopes: z.array(Scope),
  hint: z.string().meta({ description: 'How the key ends.' }),
  publicText: z
    .string()
    .nullable()
    .meta({ description: 'The whole key when it is public; null for a secret key, and for public keys of version 0.2.0.' }),
  createdAt: Time,
  lastUsedAt: Time.nullable().meta({
    description: 'The hour in which the key was last used, as a rule a minute late at most; null while no use is noted.',
  }),
}
export const ApiKey = describes<ShownKey>()(z.object(key))
export const ApiKeyList = listOf(ApiKey)
export const MadeApiKey = describes<ShownKey & { key: string }>()(
  z.object({ ...key, key: z.string().meta({ description: 'The key’s text, shown this once.' }) }),
)

const { kind: _kind, publicText: _text, ...common } = key
const adminKey = { ...common, scopes: z.array(AdminScope) }
export const AdminKeyRead = describes<ShownAdminKey>()(z.object(adminKey))
export const AdminKeyList = listOf(AdminKeyRead)
export const MadeAdminKey = describes<ShownAdminKey & { key: string }>()(
  z.object({ ...adminKey, key: z.string().meta({ description: 'The key’s text, shown this once.' }) }),
)

/** The fields of a circuit that are shown with an app's credentials and in the answer about the system. */
export const circuit = {
  platform: z.enum(platforms),
  environment: z.enum(environments).meta({ description: 'The environment of APNs; empty for other platforms.' }),
  code: z.enum(failureCodes).nullable().meta({ description: 'Why the circuit is open.' }),
  since: Time,
  probeAt: Time.nullable().meta({ description: 'When the next probe is made.' }),
}
export const Circuit = describes<CircuitRead>()(
  z.object({
    ...circuit,
    state: z.enum(['closed', 'open']),
    heldCount: Count.meta({ description: 'Pushes that wait for the circuit to close.' }),
  }),
)
export const Probed = z.object({ open: Count.meta({ description: 'How many circuits were open.' }) })
export const ProviderChecked = describes<CheckedProvider & { remedy: string | null }>()(
  z.object({
    ok: z.boolean().meta({ description: 'True when the provider takes the credentials.' }),
    code: z
      .enum(failureCodes)
      .nullable()
      .meta({ description: 'The code with which pushes would fail; null when the credentials are fine.' }),
    providerCode: z.string().nullable().meta({ description: 'The provider’s own words, also when the credentials are fine.' }),
    remedy: z.string().nullable().meta({ description: 'What to do about the code; null when there is no code.' }),
  }),
)
