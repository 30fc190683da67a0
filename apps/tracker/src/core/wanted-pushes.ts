import type { OutcomeKind } from '@herald/contracts/outcome'
import { inListOrder, type PushPlace } from './page-cursor.ts'
import { indexesOf, readEnds, slotAt, type TimedEnd, type Slots } from './slots.ts'

export type Wanted = {
  outcome?: OutcomeKind | undefined
  code?: string | undefined
  /** Pushes that ended at `from` or later, and before `to`, in Unix milliseconds. */
  from?: number | undefined
  to?: number | undefined
  after?: PushPlace | undefined
  device?: Buffer | undefined
  user?: Buffer | undefined
}
type Row = Slots & { campaignId: string; no: number; devices: Buffer | null; users: Buffer | null }
export type PushOfRow<Found extends Row> = PushPlace & { row: Found; end: TimedEnd }

/** Gives the pushes of a row that have an outcome and fit the filter, beginning with the last place, at most `most`. */
export function wantedPushes<Found extends Row>(row: Found, wanted: Wanted, most: number): PushOfRow<Found>[] {
  const { after, device, user } = wanted
  const ends = readEnds(row).map((end) => (isWanted(end, wanted) ? end : undefined))
  const named = indexesWanted(row, device, user)
  const pushes: PushOfRow<Found>[] = []
  for (let at = named.length - 1; at >= 0 && pushes.length < most; at -= 1) {
    const index = named[at] ?? 0
    const end = ends[slotAt(row, index) - 1]
    if (!end) continue
    const push = { campaignId: row.campaignId, no: row.no, place: row.place + index }
    if (!after || inListOrder(after, push) < 0) pushes.push({ ...push, row, end })
  }
  return pushes
}

const isWanted = ({ outcome, code, at }: TimedEnd, wanted: Wanted): boolean =>
  (wanted.outcome === undefined || outcome === wanted.outcome) &&
  (wanted.code === undefined || code === wanted.code) &&
  (wanted.from === undefined || at >= wanted.from) &&
  (wanted.to === undefined || at < wanted.to)

/** Gives the indexes of a row's pushes to the filter's device and user, or of all its pushes when the filter names neither. */
function indexesWanted({ size, devices, users }: Row, device: Buffer | undefined, user: Buffer | undefined): number[] {
  const ofDevice = device && devices ? indexesOf(devices, device) : undefined
  const ofUser = user && users ? indexesOf(users, user) : undefined
  if (ofDevice && ofUser) return ofDevice.filter((index) => ofUser.includes(index))
  return ofDevice ?? ofUser ?? Array.from({ length: size }, (_, index) => index)
}
