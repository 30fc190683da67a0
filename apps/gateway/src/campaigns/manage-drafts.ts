import { fault, notFound } from '@herald/contracts/fault'
import { listed, type Listed } from '@herald/contracts/page'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import { getApp, holdAdding, holdApp } from '../apps/store/apps.ts'
import type { Page } from '../core/page.ts'
import type { Note } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'
import { nameIn, type SaveDraft } from './core/draft-body.ts'
import {
  countDrafts,
  deleteDraft,
  deleteOldDrafts,
  findDraft,
  findDrafts,
  insertDraft,
  updateDraft,
  type ListedDraft,
} from './store/drafts.ts'

type Needs = { db: Kysely<Tables>; note: Note }

/** An app has at most this many drafts. They are texts that nobody has finished, so there are few. */
export const mostDrafts = 200
/** A draft that nobody has saved for this long is deleted when the app gets a new one. */
const keptDays = 90

/**
 * Saves a draft over the one that the client has seen (spec: administration/drafts). A repeated save, whose answer was lost, changes nothing. Faults:
 * not_found, limit_reached, invalid_state (somebody else has changed or deleted it).
 */
export const saveDraft = (
  { db, note }: Needs,
  { appId, id, by, body: { draft, revision } }: { appId: string; id: string; by: string; body: SaveDraft },
): Promise<ListedDraft> =>
  transact(db, async (trx) => {
    await holdApp(trx, appId)
    const text = JSON.stringify(draft)
    const row = { appId, id, draft: text, name: nameIn(draft), savedBy: by }
    if (revision === 0 && !(await findDraft(trx, appId, id))) await makeRoom(trx, appId)
    const saved = revision === 0 ? await insertDraft(trx, row) : await updateDraft(trx, row, revision)
    if (saved) {
      await note(trx, appId, { id })
      return saved
    }
    const present = await findDraft(trx, appId, id)
    if (present?.revision !== revision + 1 || present.draft !== text) throw changed(present !== undefined)
    const { draft: _, ...same } = present
    return same
  })

async function makeRoom(trx: Kysely<Tables>, appId: string): Promise<void> {
  await holdAdding(trx, appId, 'drafts')
  await deleteOldDrafts(trx, appId, keptDays)
  if ((await countDrafts(trx, appId)) >= mostDrafts) throw fault('limit_reached', `An app has at most ${mostDrafts} drafts. Delete some.`)
}

const changed = (isThere: boolean) =>
  fault('invalid_state', isThere ? 'Somebody else has changed this draft. Read it again.' : 'Somebody else has deleted this draft.')

/** Lists the drafts of an app, without their texts. */
export async function listDrafts({ db }: Pick<Needs, 'db'>, appId: string, page: Page, id?: string): Promise<Listed<ListedDraft>> {
  await getApp(db, appId)
  return listed(await findDrafts(db, appId, page, id), page.limit, ({ draft }) => draft)
}

/** Reads a draft with its text. Fault not_found. */
export async function readDraft({ db }: Pick<Needs, 'db'>, appId: string, id: string): Promise<ListedDraft & { draft: unknown }> {
  await getApp(db, appId)
  const found = await findDraft(db, appId, id)
  if (!found) throw notFound()
  return { ...found, draft: JSON.parse(found.draft) }
}

/** Deletes a draft. Fault not_found. */
export const removeDraft = ({ db, note }: Needs, appId: string, id: string): Promise<void> =>
  transact(db, async (trx) => {
    await holdApp(trx, appId)
    if (!(await deleteDraft(trx, appId, id))) throw notFound()
    await note(trx, appId, { id })
  })
