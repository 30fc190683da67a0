import { LRUCache } from 'lru-cache'

/** An opened secret of an endpoint. `version` is raised by every rotation. */
export type Secret = { readonly version: number; readonly secret: string }

/**
 * The newest secret of each endpoint that this process has seen. A delivery is taken, then connects for up to 5 s, then signs: a rotation
 * in between must not see the old secret sign. Opening a sealed secret costs 20 µs, so opened ones are kept too.
 */
export type Secrets = {
  /** Remembers a secret. An older one than is known changes nothing. */
  remember(endpointId: string, secret: Secret): void
  /** What is known of this version or a newer one; undefined: the sealed secret has to be opened. */
  known(endpointId: string, version: number): Secret | undefined
  /** What signs now: the secret that travels with a delivery, or a newer one that was seen since. Always a secret, whatever was forgotten. */
  toSignWith(endpointId: string, carried: Secret): string
}

/** The endpoints that were used longest ago are forgotten above this. About 150 bytes each. */
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
