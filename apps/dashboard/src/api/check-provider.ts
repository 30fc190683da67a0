import type { ProviderKind } from '@herald/contracts/app'
import { client, dataOf, sendWithin } from './client.ts'
import type { components } from './schema.gen.ts'

/** What a provider answered to the credentials of an app. */
export type Checked = components['schemas']['ProviderChecked']

/** The time limit of a check, and of a request that checks: ten seconds in which Herald waits for the provider, and ten more for Herald's own answer. */
export const checkWithinMs = 20_000

/** Asks the provider whether it accepts the stored credentials of an app. No device gets a push. */
export async function checkProvider(appId: string, kind: ProviderKind): Promise<Checked> {
  const path = `/v1/admin/apps/{appId}/providers/${kind}/check` as const
  return dataOf(await client.POST(path, { params: { path: { appId } }, fetch: sendWithin(checkWithinMs) }))
}
