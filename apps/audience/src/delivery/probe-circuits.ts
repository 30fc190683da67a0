import type { Platform } from '@herald/contracts/platform'
import { releaseHeld } from './store/batches.ts'
import { askForProbe } from './store/circuits.ts'
import type { Db } from '../store/tables.ts'

/**
 * An app's open circuits (of a platform) are probed now: by an operator's word, or because its credentials may have changed.
 * Of what is held 500 batches at most may be taken at once; one becomes the probe, the rest is held again. Answers how many are open.
 */
export async function probeCircuits(
  { db, poke }: { db: Db; poke: () => void },
  asked: { appId: string; platform: Platform | null },
): Promise<{ open: number }> {
  const open = await askForProbe(db, asked)
  if (open > 0 && (await releaseHeld(db, asked)) > 0) poke()
  return { open }
}
