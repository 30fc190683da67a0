import { SealError, type Sealer } from './seal.ts'

/** A sealed value: where it stands, in its owner's words, and what is bound into it. */
export type SealedValue<Place> = { place: Place; sealed: string; context: string }

/** Where an app keeps sealed values. */
export type SealedStore<Place> = {
  /** Some of what another key than this sealed. */
  find(keyId: string): Promise<SealedValue<Place>[]>
  /** Answers 1, or 0 when the value is another by now. */
  update(place: Place, change: { from: string; to: string }): Promise<number>
  /** How many values another key than this sealed. */
  count(keyId: string): Promise<number>
}

/**
 * Seals with the first of the SEAL_KEYS what was sealed with another, so that the other can be dropped from the list. A value that
 * changes meanwhile is left alone, and so is one that no key opens. Answers how many need another key than the first: at 0 all
 * others can go.
 */
export async function sealAllAnew<Place>(sealer: Sealer, store: SealedStore<Place>): Promise<{ resealed: number; left: number }> {
  let resealed = 0
  for (;;) {
    // Counted apart: a page that another process sealed before us is no reason to stop.
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
