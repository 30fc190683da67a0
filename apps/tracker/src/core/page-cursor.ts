import { isObjectId } from '@herald/contracts/ids'

/**
 * Where a push lies: its campaign, the number of its batch (from 1 on), and its place in the batch (from 0 on). Lists begin with the highest place.
 */
export type PushPlace = { campaignId: string; no: number; place: number }

/** Writes the place where a page of the ledger ended, as a cursor. */
export const writeCursor = ({ campaignId, no, place }: PushPlace): string =>
  campaignId + no.toString(16).padStart(8, '0') + place.toString(16).padStart(4, '0')

/** Reads the place from a cursor; undefined when the text is not a cursor of the tracker. */
export function readCursor(cursor: string): PushPlace | undefined {
  const [campaignId, rest] = [cursor.slice(0, 24), cursor.slice(24)]
  if (!isObjectId(campaignId) || !/^[0-7][0-9a-f]{7}[0-7][0-9a-f]{3}$/.test(rest)) return undefined
  return { campaignId, no: Number.parseInt(rest.slice(0, 8), 16), place: Number.parseInt(rest.slice(8), 16) }
}

/** Gives the id of a push in an export. The id is the push's place, so the next portion of the export can begin after it. */
export const pushId = writeCursor

/** Compares two places. The answer is below zero when lists show `one` before `other`. */
export const inListOrder = (one: PushPlace, other: PushPlace): number =>
  one.campaignId === other.campaignId ? other.no - one.no || other.place - one.place : one.campaignId > other.campaignId ? -1 : 1

/** The clock of the process that makes a campaign's id may differ from the database's clock by at most this much. */
const clocksDifferMs = 600_000

/**
 * Gives the place at which a list begins that skips the campaigns made over 10 minutes after `at`. A place orders campaigns by time, because a
 * campaign's id begins with the second in which it was made.
 */
export function firstPlaceBefore(at: Date): PushPlace {
  const seconds = Math.min(Math.ceil((at.getTime() + clocksDifferMs) / 1000), 0xffff_ffff)
  return { campaignId: seconds.toString(16).padStart(8, '0').padEnd(24, '0'), no: 0, place: 0 }
}
