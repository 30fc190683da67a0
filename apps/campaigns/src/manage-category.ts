import { mostCategories, oneTapDays, type Category, type CreateCategory, type SaveCategory } from '@herald/contracts/category'
import { fault, notFound } from '@herald/contracts/fault'
import { isErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import type { Campaigns } from './campaigns.ts'
import * as store from './store/categories.ts'

type Flow = Pick<Campaigns, 'db'>
type One = { appId: string; categoryId: string }

/** Makes a category. Faults: duplicate_name; limit_reached; not_found when the app was erased. */
export async function createCategory({ db }: Flow, { appId, category }: { appId: string; category: CreateCategory }): Promise<Category> {
  const { id, ...body } = category
  const isMade = await transact(db, async (trx) => {
    const count = await store.countForAdding(trx, appId)
    const isDone = await store.insertCategory(trx, { id, appId, category: body })
    if (isDone && count >= mostCategories) throw tooManyCategories()
    return isDone
  })
  if (!isMade) throw (await isErased(db, appId)) ? notFound() : duplicateId()
  return readCategory({ db }, { appId, categoryId: id })
}

/** Lists an app's categories in the order in which they were made. */
export const listCategories = async ({ db }: Flow, { appId }: { appId: string }): Promise<{ categories: Category[] }> => ({
  categories: (await store.findCategories(db, appId)).map(toCategory),
})

/** Replaces a category. Fault: not_found. */
export async function replaceCategory({ db }: Flow, { appId, categoryId, category }: One & { category: SaveCategory }): Promise<Category> {
  if (!(await store.updateCategory(db, { id: categoryId, appId, category }))) throw notFound()
  return readCategory({ db }, { appId, categoryId })
}

/** Deletes a category; people's choices stay. Faults: not_found; invalid_state while a campaign needs it. */
export async function deleteCategory({ db }: Flow, { appId, categoryId }: One): Promise<Record<string, never>> {
  const done = await store.removeCategory(db, appId, categoryId)
  if (done === 'unknown') throw notFound()
  if (done === 'needed') throw fault('invalid_state', 'A campaign that is scheduled, active, paused or under way has this category.')
  return {}
}

/** Finds the category that a person leaves with one tap on a push of this campaign; null when there is none to leave. */
export async function findLeavable(
  { db }: Flow,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<{ categoryId: string } | null> {
  const categoryId = await store.findLeavableCategory(db, appId, campaignId, oneTapDays)
  return categoryId === undefined ? null : { categoryId }
}

async function readCategory({ db }: Flow, { appId, categoryId }: One): Promise<Category> {
  const row = await store.findCategory(db, appId, categoryId)
  if (!row) throw notFound()
  return toCategory(row)
}

const tooManyCategories = () =>
  fault('limit_reached', `An app has at most ${mostCategories} categories. Delete one that is not used any more.`)
const duplicateId = () => fault('duplicate_name', 'A category with this id exists already. Choose another id.')

const toCategory = ({ createdAt, updatedAt, ...row }: store.CategoryRow): Category => ({
  ...row,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
