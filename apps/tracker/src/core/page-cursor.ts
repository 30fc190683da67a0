import { isObjectId } from '@herald/contracts/ids'

/** A push by its place in a batch of a campaign. Lists go from the highest down; `no` 0 is before every push of a campaign. */
export type PushPlace = { campaignId: string; no: number; place: number }

/** Where a page of the ledger ended, as callers carry it. */
export const writeCursor = ({ campaignId, no, place }: PushPlace): string =>
  campaignId + no.toString(16).padStart(8, '0') + place.toString(16).padStart(4, '0')

/** The place a cursor stands for, or undefined when it is none of ours. */
export function readCursor(cursor: string): PushPlace | undefined {
  const [campaignId, rest] = [cursor.slice(0, 24), cursor.slice(24)]
  if (!isObjectId(campaignId) || !/^[0-7][0-9a-f]{7}[0-7][0-9a-f]{3}$/.test(rest)) return undefined
  return { campaignId, no: Number.parseInt(rest.slice(0, 8), 16), place: Number.parseInt(rest.slice(8), 16) }
}

/** The name of a push in an export: its place, which an export goes on after. */
export const pushId = writeCursor

/** Below zero: `one` is shown before `other`. */
export const inListOrder = (one: PushPlace, other: PushPlace): number =>
  one.campaignId === other.campaignId ? other.no - one.no || other.place - one.place : one.campaignId > other.campaignId ? -1 : 1

/** The clock of who made a campaign's id and the database's differ by less than this. */
const clocksDifferMs = 600_000

/** The place before every push of campaigns that were made before a moment: an id begins with the second it was made in. */
export function firstPlaceBefore(at: Date): PushPlace {
  const seconds = Math.min(Math.ceil((at.getTime() + clocksDifferMs) / 1000), 0xffff_ffff)
  return { campaignId: seconds.toString(16).padStart(8, '0').padEnd(24, '0'), no: 0, place: 0 }
}
