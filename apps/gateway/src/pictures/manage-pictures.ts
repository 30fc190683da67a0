import { createHash, randomBytes } from 'node:crypto'
import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { listed, type Listed } from '@herald/contracts/page'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import { getApp, holdAdding, holdApp } from '../apps/store/apps.ts'
import type { Page } from '../core/page.ts'
import type { Note } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'
import { fileOf, mostBytes, type PictureFormat } from './core/picture.ts'
import { countPictures, deletePicture, findByHash, findPictures, insertPicture, type StoredPicture } from './store/pictures.ts'
import { writeAnew } from './write-anew.ts'

type Needs = { db: Kysely<Tables>; note: Note }

/** A picture as the administration shows it. `path`: where the gateway serves it. */
export type ShownPicture = Omit<StoredPicture, 'name' | 'createdAt'> & { path: string; createdAt: string }

/** Reads an upload whole. Fault: body_too_large. */
export async function readWhole(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = []
  let size = 0
  for await (const part of parts) {
    size += part.length
    if (size > mostBytes) throw fault('body_too_large', `The body must be at most ${mostBytes / 1024} KiB.`)
    // A part is only valid until the next one is asked for.
    read.push(Buffer.from(part))
  }
  return Buffer.concat(read)
}

/**
 * Writes a picture anew and keeps it (spec: administration/pictures). The app's same picture is kept once. Faults: not_found, limit_reached, and those
 * of `writeAnew`.
 */
export async function addPicture(
  { db, note }: Needs,
  appId: string,
  { bytes, format, by }: { bytes: Buffer; format: PictureFormat; by: string },
): Promise<ShownPicture> {
  const picture = await writeAnew(bytes, format, appId)
  const hash = createHash('sha256').update(picture.bytes).digest()
  return transact(db, async (trx) => {
    await holdApp(trx, appId)
    await holdAdding(trx, appId, 'pictures')
    const same = await findByHash(trx, appId, hash)
    if (same) return shown(same)
    const { settings } = await getApp(trx, appId)
    if ((await countPictures(trx, appId)) >= settings.mostPictures)
      throw fault('limit_reached', `This app has at most ${settings.mostPictures} images. Delete some, or raise the setting mostPictures.`)
    const name = randomBytes(32).toString('base64url')
    const added = await insertPicture(trx, appId, { ...picture, id: newId(), name, hash, addedBy: by })
    if (!added) throw fault('invalid_state', 'The same image was added at this moment. Try again.')
    await note(trx, appId, { id: added.id, mediaType: added.mediaType, size: added.size })
    return shown(added)
  })
}

export async function listPictures({ db }: Pick<Needs, 'db'>, appId: string, page: Page): Promise<Listed<ShownPicture>> {
  await getApp(db, appId)
  return listed(await findPictures(db, appId, page), page.limit, shown)
}

/** Deletes a picture, which pushes that were sent can no longer load. Fault not_found. */
export const removePicture = ({ db, note }: Needs, appId: string, id: string): Promise<void> =>
  transact(db, async (trx) => {
    await holdApp(trx, appId)
    if ((await deletePicture(trx, appId, id)) === undefined) throw notFound()
    await note(trx, appId, { id })
  })

const shown = ({ name, createdAt, ...picture }: StoredPicture): ShownPicture => ({
  ...picture,
  path: `/pictures/${fileOf({ name, mediaType: picture.mediaType })}`,
  createdAt: createdAt.toISOString(),
})
