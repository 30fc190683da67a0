import { isIP } from 'node:net'
import { destinationProblem, isPublicAddress } from '@herald/contracts/destination'
import type { Resolve } from '@herald/service/guarded-connect'
import { waitAtMost } from '@herald/service/wait-at-most'

/** A request that saves a URL waits at most this long for the name servers. */
const patienceMs = 2_000

/**
 * Checks a URL that is to be saved (spec: webhooks/url-at-save), also by its host's addresses unless private ones are allowed. A host that does not
 * resolve may be registered later. Every attempt checks the address again.
 */
export const openUrlCheck =
  ({ allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve }) =>
  async (url: string): Promise<string | undefined> => {
    const problem = destinationProblem(url, { allowPrivate })
    if (problem !== undefined || allowPrivate) return problem
    const { hostname } = new URL(url)
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined
    const found = resolve(hostname).catch(() => [])
    const addresses = await waitAtMost(patienceMs, found, () => [])
    return addresses.every(({ address }) => isPublicAddress(address)) ? undefined : 'must not resolve to an address that is not public'
  }
