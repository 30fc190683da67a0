import * as calls from '@herald/contracts/calls/audience'
import { fault, invalidField } from '@herald/contracts/fault'
import { ImportError, ImportReport, largestImport, StartImport } from '@herald/contracts/import'
import { z } from 'zod'
import { cappedList, listRequestOf, pageQuery } from '../../core/page.ts'
import { getApp } from '../../apps/store/apps.ts'
import { endImportFile, receiveImport } from '../receive-import.ts'
import { elsewhere, route } from '../../http/route.ts'

const path = '/v1/admin/apps/:appId/imports'
const onePath = `${path}/:id` as const

const nextCursor = z.string().nullable()

const DataQuery = z.strictObject({
  offset: z
    .string()
    .refine((offset) => /^\d{1,10}$/.test(offset) && Number(offset) <= largestImport, 'must be the offset of an earlier answer')
    .transform(Number)
    .meta({ type: 'integer', minimum: 0, description: 'Where in the file this part begins: the `offset` of the import.' }),
})

/**
 * The routes that import devices from another system (spec: administration/import). Audience stores the import and its devices; the gateway reads the
 * file, row by row.
 */
export const imports = [
  route({
    name: 'startImport',
    method: 'post',
    path,
    key: 'admin',
    scope: 'people',
    body: StartImport,
    status: 201,
    summary: 'Begin an import of devices; an app has one at a time',
    audit: elsewhere('import.started'),
    answers: ImportReport,
    faults: ['invalid_state'],
    answer: ({ bus }, { appId, body }) => bus.call(calls.startImport, { appId, settings: body }),
  }),
  route({
    name: 'sendImportData',
    method: 'put',
    path: `${onePath}/data`,
    key: 'admin',
    scope: 'people',
    takes: ['text/csv', 'application/x-ndjson'],
    query: DataQuery,
    status: 200,
    summary: 'Send the file of an import, or a part of it from the offset on',
    description:
      'Raw UTF-8, at most 4 GiB in all. The answer has the offset of the next part; after a broken connection read the import and continue at its `offset`. Any other offset is 409, with the right one in the detail at `offset`.',
    // The audit has a line for the beginning of the import and one for its end.
    audit: 'nothing',
    answers: ImportReport,
    faults: ['invalid_state', 'body_too_large', 'unsupported_media_type'],
    async answer(gateway, { appId, params, query: { offset }, upload, header }) {
      await getApp(gateway.db, appId)
      if (offset + Number(header('content-length') ?? 0) > largestImport)
        throw fault('body_too_large', `An import is at most ${largestImport / 1024 ** 3} GiB.`)
      return receiveImport(gateway, { appId, importId: params.id }, { offset, parts: upload.parts(), mediaType: upload.mediaType })
    },
  }),
  route({
    name: 'finishImport',
    method: 'post',
    path: `${onePath}/finish`,
    key: 'admin',
    scope: 'people',
    status: 200,
    summary: 'End an import: its file is complete',
    audit: elsewhere('import.finished'),
    answers: ImportReport,
    faults: ['invalid_state'],
    async answer(gateway, { appId, params }) {
      const named = { appId, importId: params.id }
      const { offset } = await endImportFile(gateway, named)
      return gateway.bus.call(calls.finishImport, { ...named, offset })
    },
  }),
  route({
    name: 'cancelImport',
    method: 'delete',
    path: onePath,
    key: 'admin',
    scope: 'people',
    status: 204,
    summary: 'Cancel an import; the devices that it has written stay',
    audit: elsewhere('import.cancelled'),
    faults: ['invalid_state'],
    answer: ({ bus }, { appId, params }) => bus.call(calls.cancelImport, { appId, importId: params.id }),
  }),
  route({
    name: 'listImports',
    method: 'get',
    path,
    key: 'admin',
    scope: 'people',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List imports, newest first; they are kept for 30 days',
    answers: z.object({ items: z.array(ImportReport), nextCursor }),
    async answer({ db, bus }, { appId, query }) {
      await getApp(db, appId)
      return cappedList(await bus.call(calls.listImports, { appId, ...listRequestOf(query) }))
    },
  }),
  route({
    name: 'readImport',
    method: 'get',
    path: onePath,
    key: 'admin',
    scope: 'people',
    status: 200,
    summary: 'Read how far an import has come, and what became of its rows',
    answers: ImportReport,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      return (await bus.call(calls.readImport, { appId, importId: params.id })).report
    },
  }),
  route({
    name: 'listImportErrors',
    method: 'get',
    path: `${onePath}/errors`,
    key: 'admin',
    scope: 'people',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List why rows of an import were rejected, in their order: the first 10,000',
    answers: z.object({ items: z.array(ImportError), nextCursor }),
    async answer({ db, bus }, { appId, params, query: { limit, cursor } }) {
      await getApp(db, appId)
      return bus.call(calls.listImportErrors, { appId, importId: params.id, limit, after: rowOf(cursor) })
    },
  }),
]

/** Reads the cursor of the list of errors, which is the number of a row. Fault: invalid_body at `cursor`. */
function rowOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,12}$/.test(cursor)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  return Number(cursor)
}
