import { client, dataOf, sendWithin } from '../../api/client.ts'
import type { Checked } from './CheckResult.tsx'
import type { Kind } from './kinds.ts'

/** The provider has ten seconds to answer; the rest is for Herald itself. */
const checkWithinMs = 20_000

/** Asks the provider whether it takes the credentials that are set. Nobody gets a push. */
export async function checkProvider(appId: string, kind: Kind): Promise<Checked> {
  const path = `/v1/admin/apps/{appId}/providers/${kind}/check` as const
  return dataOf(await client.POST(path, { params: { path: { appId } }, fetch: sendWithin(checkWithinMs) }))
}
