import { SealError, type Sealer } from './seal.ts'

/** A sealed value: where it is stored, and the context that is bound into it. */
export type SealedValue<Place> = { place: Place; sealed: string; context: string }

/** The storage in which a service has sealed values. */
export type SealedStore<Place> = {
  /** Gives the next values that were sealed with another key than this one, in the order of the sealed texts, after this text. */
  find(keyId: string, after: string): Promise<SealedValue<Place>[]>
  /** Replaces a sealed value. Gives 1, or 0 when the value has changed meanwhile. */
  update(place: Place, change: { from: string; to: string }): Promise<number>
  /** Counts the values that were sealed with another key than this one. */
  count(keyId: string): Promise<number>
}

/**
 * Seals with the first of the SEAL_KEYS all values that another key sealed. A value that changes meanwhile, or that no key opens, stays. `left`: how
 * many values other keys still seal; at 0 these keys can be removed.
 */
export async function sealAllAnew<Place>(sealer: Sealer, store: SealedStore<Place>): Promise<{ resealed: number; left: number }> {
  let resealed = 0
  let page = await store.find(sealer.keyId, '')
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    for (const { place, sealed, context } of page) {
      const anew = sealAnew(sealer, sealed, context)
      if (anew !== undefined) resealed += await store.update(place, { from: sealed, to: anew })
    }
    page = await store.find(sealer.keyId, last.sealed)
  }
  return { resealed, left: await store.count(sealer.keyId) }
}

function sealAnew(sealer: Sealer, sealed: string, context: string): string | undefined {
  try {
    return sealer.seal(sealer.open(sealed, context), context)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
