import { Id } from '@herald/contracts/text'
import { notFound } from '@herald/contracts/fault'
import { z } from 'zod'
import { getApp } from '../../apps/store/apps.ts'
import { baseUrlOf } from '../../core/base-url.ts'
import { pageOf, pageQuery } from '../../core/page.ts'
import { Count, listOf, Time } from '../../http/answers.ts'
import { Reply } from '../../http/reply.ts'
import { own, route, type Asked } from '../../http/route.ts'
import { keyId, listOf as listExample, monday, type Example } from '../../http/shop.ts'
import type { Gateway } from '../../gateway.ts'
import { formats, nameOf } from '../core/picture.ts'
import { addPicture, listPictures, readWhole, removePicture, type ShownPicture } from '../manage-pictures.ts'

const PictureRead = z.object({
  id: Id,
  url: z.string().meta({ description: 'Where devices load it: below HERALD_BASE_URL. Nobody can guess it, and no key is needed for it.' }),
  mediaType: z.enum(['image/jpeg', 'image/png', 'image/gif']),
  width: Count,
  height: Count,
  size: Count.meta({ description: 'In bytes.' }),
  addedBy: z.string(),
  createdAt: Time,
})

const withUrl = (
  { installed }: Pick<Gateway, 'installed'>,
  { header }: Pick<Asked<string, unknown, unknown>, 'header'>,
  { path, ...picture }: ShownPicture,
) => ({ ...picture, url: `${baseUrlOf(installed.baseUrl, header) ?? ''}${path}` })

const path = '/v1/admin/apps/:appId/pictures'
const mediaTypes = Object.keys(formats) as (keyof typeof formats)[]

/** The pictures that operators upload for messages (spec: administration/pictures). */
export const pictures = [
  route({
    name: 'addPicture',
    method: 'post',
    path,
    key: 'admin',
    scope: 'send',
    takes: mediaTypes,
    status: 201,
    summary: 'Upload a picture for messages',
    description:
      'JPEG, PNG, WebP or GIF of at most 1 MiB and 4,096 by 4,096 pixels. Herald writes it anew, without what the file says besides the picture: as GIF when it is one, as PNG when it can be seen through, else as JPEG. The same picture is kept once. An app has at most mostPictures of its settings.',
    answers: PictureRead,
    faults: ['body_too_large', 'unsupported_media_type', 'limit_reached', 'rate_limited'],
    audit: own('picture.added'),
    async answer(gateway, { appId, actor, upload, note, header }) {
      await getApp(gateway.db, appId)
      const format = formats[upload.mediaType as keyof typeof formats]
      const added = await addPicture({ db: gateway.db, note }, appId, { bytes: await readWhole(upload.parts()), format, by: actor })
      return withUrl(gateway, { header }, added)
    },
  }),
  route({
    name: 'listPictures',
    method: 'get',
    path,
    key: 'admin',
    scope: 'read',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the pictures of an app, newest first',
    answers: listOf(PictureRead),
    async answer(gateway, { appId, query, header }) {
      const { items, nextCursor } = await gateway.reads((db) => listPictures({ db }, appId, pageOf(query)), { appId })
      return { items: items.map((picture) => withUrl(gateway, { header }, picture)), nextCursor }
    },
  }),
  route({
    name: 'deletePicture',
    method: 'delete',
    path: `${path}/:id`,
    key: 'admin',
    scope: 'send',
    status: 204,
    summary: 'Delete a picture; within a minute no device can load it any more',
    audit: own('picture.deleted'),
    answer: ({ db }, { appId, params, note }) => removePicture({ db, note }, appId, params.id),
  }),
]

/** What devices and caches may know about a picture: it never changes, any page may show it, and nothing in it runs. */
const headers = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Security-Policy': "default-src 'none'; sandbox",
}

/** The route from which devices load pictures. It takes no key, because a notification cannot send one. */
export const pictureFiles = [
  route({
    name: 'showPicture',
    method: 'get',
    path: '/pictures/:file',
    key: 'none',
    texts: ['file'],
    status: 200,
    summary: 'Load a picture of a message',
    mediaType: 'image/*',
    async answer({ pictures: known }, { params, visitor }) {
      const name = nameOf(params.file)
      const picture = name === undefined ? undefined : await known.find(name, visitor().address)
      if (!picture) throw notFound()
      return new Reply(picture.bytes, { headers: { ...headers, 'content-type': picture.mediaType } })
    },
  }),
]

const picture = {
  id: keyId,
  url: 'https://push.shop.example/pictures/q3J1m2Wm0c9Z2bX7v5K8nT4yR6uE1oP0sD3fG7hJ9kL.jpg',
  mediaType: 'image/jpeg',
  width: 1024,
  height: 512,
  size: 81_234,
  addedBy: 'Dana',
  createdAt: monday,
}

/** Examples of pictures, by route name. */
export const pictureExamples: Record<string, Example> = {
  addPicture: { answer: picture },
  listPictures: { answer: listExample(picture) },
}
