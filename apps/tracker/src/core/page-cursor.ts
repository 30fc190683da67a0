import { isObjectId } from '@herald/contracts/ids'

type Place = { campaignId: string; subscriptionId: string }

/** Where a page of the ledger ended, as callers carry it. */
export const writeCursor = ({ campaignId, subscriptionId }: Place): string => campaignId + subscriptionId

/** The place a cursor stands for, or undefined when it is none of ours. */
export function readCursor(cursor: string): Place | undefined {
  const place = { campaignId: cursor.slice(0, 24), subscriptionId: cursor.slice(24) }
  return isObjectId(place.campaignId) && isObjectId(place.subscriptionId) ? place : undefined
}
