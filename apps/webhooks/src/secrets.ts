import { LRUCache } from 'lru-cache'

/** What a secret is sealed for: table, app and row. A sealed secret that is moved to another row or app does not open. */
export const secretContext = (appId: string, endpointId: string): string => `webhooks.endpoints/${appId}/${endpointId}/secret`

/** An opened secret of an endpoint. `version` is raised by every rotation. */
export type Secret = { readonly version: number; readonly secret: string }

/**
 * The newest secret of each endpoint that this process has seen. A delivery is taken, then connects for up to 5 s, and then signs: when the secret is
 * rotated in between, the old one must not sign. Opening a sealed secret costs 20 µs, so opened ones are kept.
 */
export type Secrets = {
  /** Remembers a secret, unless a newer one is known. */
  remember(endpointId: string, secret: Secret): void
  /** Gives the known secret of this version or a newer one; undefined when the sealed secret must be opened. */
  known(endpointId: string, version: number): Secret | undefined
  /** Gives the secret that signs now: the one that a delivery carries, or a newer one that was seen since. */
  toSignWith(endpointId: string, carried: Secret): string
}

/** Above this many the endpoints that were used longest ago are forgotten. About 150 bytes each. */
const mostKnown = 10_000

export function openSecrets(most = mostKnown): Secrets {
  const newest = new LRUCache<string, Secret>({ max: most })
  const known: Secrets['known'] = (endpointId, version) => {
    const found = newest.get(endpointId)
    return found && found.version >= version ? found : undefined
  }
  return {
    remember(endpointId, secret) {
      if ((newest.peek(endpointId)?.version ?? 0) < secret.version) newest.set(endpointId, secret)
    },
    known,
    toSignWith: (endpointId, carried) => (known(endpointId, carried.version) ?? carried).secret,
  }
}
