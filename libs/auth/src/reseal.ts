import { SealError, type Sealer } from './seal.ts'

/** A sealed value: its place, in terms of the app that keeps it, and the context that is bound into it. */
export type SealedValue<Place> = { place: Place; sealed: string; context: string }

/** Where an app keeps sealed values. */
export type SealedStore<Place> = {
  /** Finds some of the values that another key than this one has sealed. */
  find(keyId: string): Promise<SealedValue<Place>[]>
  /** Gives 1, or 0 when the value has changed meanwhile. */
  update(place: Place, change: { from: string; to: string }): Promise<number>
  /** How many values another key than this one has sealed. */
  count(keyId: string): Promise<number>
}

/**
 * Seals all values with the first of the SEAL_KEYS that were sealed with another one, so that the other keys can be dropped from the list. A value that
 * changes meanwhile, or that no key opens, is left as it is. Gives how many values still need another key: at 0 all other keys can be dropped.
 */
export async function sealAllAnew<Place>(sealer: Sealer, store: SealedStore<Place>): Promise<{ resealed: number; left: number }> {
  let resealed = 0
  for (;;) {
    // Opened values are counted, not resealed ones: a page that another process has sealed meanwhile is no reason to stop.
    let opened = 0
    for (const { place, sealed, context } of await store.find(sealer.keyId)) {
      const anew = sealAnew(sealer, sealed, context)
      if (anew === undefined) continue
      opened += 1
      resealed += await store.update(place, { from: sealed, to: anew })
    }
    if (opened === 0) return { resealed, left: await store.count(sealer.keyId) }
  }
}

function sealAnew(sealer: Sealer, sealed: string, context: string): string | undefined {
  try {
    return sealer.seal(sealer.open(sealed, context), context)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
