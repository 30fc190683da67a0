import type { OpenPush } from '@herald/contracts/calls/audience'
import { invalidField } from '@herald/contracts/fault'
import { isObjectId } from '@herald/contracts/ids'
import { findOpenPushes, type OpenFilter, type OpenPlace } from './store/open-pushes.ts'
import type { Db } from '../store/tables.ts'

/** A page of an app's pushes that have no outcome yet, newest campaign first. Fault: invalid_body at `cursor`. */
export async function listOpenPushes(
  { db }: { db: Db },
  { cursor, ...asked }: Omit<OpenFilter, 'after'> & { cursor?: string | undefined },
): Promise<{ items: OpenPush[]; nextCursor: string | null }> {
  const { items, next } = await findOpenPushes(db, { ...asked, after: cursor === undefined ? undefined : readCursor(cursor) })
  return { items, nextCursor: next && `${next.campaignId}${next.batchId}${next.place}` }
}

function readCursor(cursor: string): OpenPlace {
  const [, campaignId = '', batchId = '', place = ''] = /^(.{24})(.{24})(\d{1,3})$/.exec(cursor) ?? []
  if (!isObjectId(campaignId) || !isObjectId(batchId)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  return { campaignId, batchId, place: Number(place) }
}
