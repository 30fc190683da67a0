/**
 * The newest secret of each endpoint that this process has seen. A delivery is taken, then connects for up to 5 s, then signs: a rotation
 * in between must not see the old secret sign. Opening a sealed secret costs 20 µs, so opened ones are kept too.
 */
export type Secrets = {
  /** Remembers a secret; an older one than is known changes nothing. */
  remember(endpointId: string, version: number, secret: string): void
  /** The newest known, or undefined when this version is newer than what is known. */
  newest(endpointId: string, version: number): string | undefined
}

/** Forgotten all at once above this: who is needed comes back with the next delivery. */
const mostKnown = 10_000

export function openSecrets(): Secrets {
  const known = new Map<string, { version: number; secret: string }>()
  return {
    remember(endpointId, version, secret) {
      if (known.size >= mostKnown) known.clear()
      if ((known.get(endpointId)?.version ?? 0) < version) known.set(endpointId, { version, secret })
    },
    newest(endpointId, version) {
      const newest = known.get(endpointId)
      return newest && newest.version >= version ? newest.secret : undefined
    },
  }
}
