import { fault, notFound, type Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { listed, readCursor, type Listed, type ListRequest } from '@herald/contracts/page'
import type { SaveTemplate, Template } from '@herald/contracts/template'
import { isErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import type { Campaigns } from './campaigns.ts'
import { countFitting } from './core/list-bytes.ts'
import { refuseTooLarge, unknownCategory } from './resolve-fields.ts'
import { findForSend } from './store/categories.ts'
import { hasRoomForTemplate, mostTemplates } from './store/limits.ts'
import * as store from './store/templates.ts'

type Flow = Pick<Campaigns, 'db'>
type One = { appId: string; templateId: string }

/** Makes a template. Faults: duplicate_name; limit_reached; invalid_body when a locale is too large for a platform; not_found when the app was erased. */
export async function createTemplate({ db }: Flow, { appId, template }: { appId: string; template: SaveTemplate }): Promise<Template> {
  await checkTemplate(db, appId, template)
  const id = newId()
  const isMade = await transact(db, async (trx) => {
    const hasRoom = await hasRoomForTemplate(trx, appId)
    const isDone = await store.insertTemplate(trx, { id, appId, template })
    if (isDone && !hasRoom) throw tooManyTemplates()
    return isDone
  })
  if (!isMade) throw (await isErased(db, appId)) ? notFound() : duplicateName()
  return readTemplate({ db }, { appId, templateId: id })
}

/** Lists an app's templates by pages, newest first. Fault: invalid_body at `cursor`. */
export async function listTemplates({ db }: Flow, { appId, limit, cursor, q }: ListRequest & { appId: string }): Promise<Listed<Template>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const { rows, examinedTo } = await store.findTemplates(db, appId, { limit, after, inName: q })
  const places = rows.map((row) => ({ id: row.id, createdAt: row.createdAt, template: toTemplate(row) }))
  const fitting = countFitting(places.map(({ template }) => template))
  return listed(places, Math.min(limit, fitting), ({ template }) => template, examinedTo)
}

/** Gives a template. Fault: not_found. */
export async function readTemplate({ db }: Flow, { appId, templateId }: One): Promise<Template> {
  const row = await store.findTemplate(db, appId, templateId)
  if (!row) throw notFound()
  return toTemplate(row)
}

/** Replaces a template. An optional field that the request leaves out is removed. Faults: not_found, duplicate_name, invalid_body. */
export async function replaceTemplate({ db }: Flow, { appId, templateId, template }: One & { template: SaveTemplate }): Promise<Template> {
  await checkTemplate(db, appId, template)
  const replaced = await store.replaceTemplate(db, { id: templateId, appId, template })
  if (replaced === 'unknown') throw notFound()
  if (replaced === 'name taken') throw duplicateName()
  return readTemplate({ db }, { appId, templateId })
}

/** Faults: invalid_body at `category` for an unknown one, and when a locale is too large for a platform. */
async function checkTemplate(db: Campaigns['db'], appId: string, template: SaveTemplate): Promise<void> {
  if (template.category !== undefined && !(await findForSend(db, appId, template.category))) throw unknownCategory()
  refuseTooLarge(template)
}

/** Deletes a template. Campaigns that used it keep their copy of its fields. Fault: not_found. */
export async function deleteTemplate({ db }: Flow, { appId, templateId }: One): Promise<Record<string, never>> {
  if (!(await store.deleteTemplate(db, appId, templateId))) throw notFound()
  return {}
}

const tooManyTemplates = (): Fault =>
  fault('limit_reached', `An app has at most ${mostTemplates} templates. Delete one that is not used any more.`)
const duplicateName = (): Fault => fault('duplicate_name', 'A template of this name exists already. Choose another name.')

function toTemplate(row: store.TemplateRow): Template {
  const { id, name, description, content, data, presentation, overrides, ttl, priority, silent } = row
  return {
    id,
    name,
    description,
    content,
    data,
    presentation,
    overrides,
    ttl,
    collapseId: row.collapseId,
    priority,
    silent,
    category: row.category,
    sendRate: row.perMinute ? { perMinute: row.perMinute } : null,
    useCount: row.useCount,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
