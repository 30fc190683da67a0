import { client, dataOf, sendWithin } from './client.ts'
import type { components } from './schema.gen.ts'

/** What a provider answered to the credentials of an app. */
export type Checked = components['schemas']['ProviderChecked']

/** The provider has ten seconds to answer; the rest is for Herald itself. */
const checkWithinMs = 20_000

/** Asks the provider whether it takes the credentials that are set. Nobody gets a push. */
export async function checkProvider(appId: string, kind: 'apns' | 'fcm' | 'webpush'): Promise<Checked> {
  const path = `/v1/admin/apps/{appId}/providers/${kind}/check` as const
  return dataOf(await client.POST(path, { params: { path: { appId } }, fetch: sendWithin(checkWithinMs) }))
}
