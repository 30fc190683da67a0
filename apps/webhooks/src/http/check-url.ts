import { isIP } from 'node:net'
import { destinationProblem, isPublicAddress } from '@herald/contracts/destination'
import type { Resolve } from '@herald/service/guarded-connect'

/** Whoever saves an address waits for its name servers, but not long. */
const patienceMs = 2_000

/**
 * The rule at save (spec: webhooks/url-at-save): what `destinationProblem` says, and then what the name resolves to now. A name that does not resolve
 * may be made later; what it resolves to then is judged at every attempt.
 */
export const openUrlCheck =
  ({ allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve }) =>
  async (url: string): Promise<string | undefined> => {
    const problem = destinationProblem(url, { allowPrivate })
    if (problem !== undefined || allowPrivate) return problem
    const { hostname } = new URL(url)
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined
    const addresses = await Promise.race([
      resolve(hostname).catch(() => []),
      new Promise<never[]>((done) => setTimeout(() => done([]), patienceMs).unref()),
    ])
    return addresses.every(({ address }) => isPublicAddress(address)) ? undefined : 'must not resolve to an address that is not public'
  }
