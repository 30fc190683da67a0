import { LRUCache } from 'lru-cache'

/** Gives what a secret is sealed for: table, app and row. A sealed secret that is moved to another row or app does not open. */
export const secretContext = (appId: string, endpointId: string): string => `webhooks.endpoints/${appId}/${endpointId}/secret`

/** The opened secret of an endpoint. Every rotation raises `version`. */
export type Secret = { readonly version: number; readonly secret: string }

/**
 * Remembers each endpoint's newest secret that this process has seen: a delivery is signed some seconds after it was taken, and the secret from before
 * a rotation must not be used. Opening a sealed secret costs 20 µs.
 */
export type Secrets = {
  /** Remembers a secret, unless a newer one of the endpoint is known. */
  remember(endpointId: string, secret: Secret): void
  /** Gives the remembered secret of this version or a newer one; undefined when the caller must open the sealed secret. */
  known(endpointId: string, version: number): Secret | undefined
  /** Gives the secret to sign with now: the one that was read with the delivery, or a newer one that the process has seen since. */
  toSignWith(endpointId: string, carried: Secret): string
}

/** At most this many endpoints are remembered, at about 150 bytes each. Above it those that were used longest ago are forgotten. */
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
