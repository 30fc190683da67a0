import { batchSize, pageSize } from '@herald/contracts/batch'

/** A send with a rate takes its turns at most this late without losing them: the pointers and takes of a turn need some milliseconds. */
export const lateMs = 400
/** A page of a send with a rate is made when its first push has its turn in this time. */
export const aheadMs = 10_000
/** A page of a send with a rate holds the pushes of this time, so that few batches wait. */
const secondsOfPage = 20

/**
 * Gives how many pushes a batch of a send with a rate holds: half a second's. With `lateMs` a minute then has no more first tries than the rate and
 * one second's pushes (spec: sending/rate).
 */
export const pacedBatch = (perMinute: number): number => Math.min(batchSize, Math.max(1, Math.floor(perMinute / 120)))

/** Gives how many pushes a page of a send with a rate holds at most. */
export const pacedPage = (perMinute: number): number => Math.min(pageSize, Math.max(1, Math.ceil((perMinute * secondsOfPage) / 60)))

/** A batch that asks for its turn. `aheadMs`: in how many milliseconds its send has its next turn. */
export type AsksTurn = { batchId: string; campaignId: string; size: number; perMinute: number | null; aheadMs: number }

/** Says which of these batches have a turn now, in the order asked, and which sends have batches that must wait. */
export function giveTurns(asked: readonly AsksTurn[]): { now: AsksTurn[]; later: Set<string> } {
  const turns = new Map<string, number>()
  const later = new Set<string>()
  const now = asked.filter((one) => {
    const { campaignId, size, perMinute } = one
    if (perMinute === null) return true
    const turn = turns.get(campaignId) ?? one.aheadMs
    if (turn > 0) return void later.add(campaignId)
    turns.set(campaignId, Math.max(turn, -lateMs) + (size / perMinute) * 60_000)
    return true
  })
  return { now, later }
}
