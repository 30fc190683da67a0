import {
  countSegment,
  createSegment,
  deleteSegment,
  listSegments,
  previewSegment,
  readSegment,
  replaceSegment,
} from '@herald/contracts/calls/audience'
import { SavedSegment, SaveSegment, SegmentCount } from '@herald/contracts/saved-segment'
import { SegmentDefinition } from '@herald/contracts/segment-definition'
import { z } from 'zod'
import { cappedList, listRequestOf, PageQuery } from '../../core/page.ts'
import { administered } from '../../apps/http/administered.ts'
import { getApp } from '../../apps/store/apps.ts'
import { SegmentList } from '../../http/answers.ts'
import { SegmentsOfApp } from './user-answers.ts'
import { elsewhere, route, type Route } from '../../http/route.ts'

const reads = { key: 'secret', scope: 'subscriptions:read' } as const
const writes = { key: 'secret', scope: 'campaigns:write' } as const

/** The body of POST /v1/segments/preview. Without a segment, or without a body at all, everyone is counted. */
export const PreviewSegment = z.strictObject({ segment: SegmentDefinition.optional() }).prefault({})

export const segments = [
  route({
    ...reads,
    name: 'previewSegment',
    method: 'post',
    path: '/v1/segments/preview',
    body: PreviewSegment,
    audit: 'nothing',
    status: 200,
    summary: 'Count the devices that a segment would reach',
    description:
      'Counts devices that are opted in and not invalidated, as a send would. Without a segment, or with {}, everyone is counted.',
    answers: SegmentCount,
    faults: ['invalid_segment'],
    answer: ({ bus }, { appId, body: { segment } }) => bus.call(previewSegment, { appId, segment: segment ?? null }),
  }),
  route({
    ...reads,
    name: 'listSegments',
    method: 'get',
    path: '/v1/segments',
    query: PageQuery,
    status: 200,
    summary: 'List saved segments, newest first',
    answers: SegmentList,
    async answer({ bus }, { appId, query }) {
      const { items, nextCursor } = cappedList(await bus.call(listSegments, { appId, ...listRequestOf(query) }))
      return { segments: items, nextCursor }
    },
  }),
  route({
    ...writes,
    name: 'createSegment',
    method: 'post',
    path: '/v1/segments',
    body: SaveSegment,
    audit: elsewhere('segment.created'),
    status: 201,
    summary: 'Save a segment',
    answers: SavedSegment,
    faults: ['duplicate_name', 'limit_reached'],
    answer: ({ bus }, { appId, body }) => bus.call(createSegment, { appId, segment: body }),
  }),
  route({
    ...reads,
    name: 'readSegment',
    method: 'get',
    path: '/v1/segments/:id',
    status: 200,
    summary: 'Read a saved segment',
    answers: SavedSegment,
    answer: ({ bus }, { appId, params }) => bus.call(readSegment, { appId, segmentId: params.id }),
  }),
  route({
    ...writes,
    name: 'replaceSegment',
    method: 'put',
    path: '/v1/segments/:id',
    body: SaveSegment,
    audit: elsewhere('segment.changed'),
    status: 200,
    summary: 'Replace a saved segment',
    description: 'Replaces name, description and definition, and clears the stored count. Campaigns already sent keep what they copied.',
    answers: SavedSegment,
    faults: ['duplicate_name'],
    answer: ({ bus }, { appId, params, body }) => bus.call(replaceSegment, { appId, segmentId: params.id, segment: body }),
  }),
  route({
    ...writes,
    name: 'deleteSegment',
    method: 'delete',
    path: '/v1/segments/:id',
    audit: elsewhere('segment.deleted'),
    status: 204,
    summary: 'Delete a saved segment',
    description: 'A draft that still points at it gets 404 when it is sent.',
    answer: ({ bus }, { appId, params }) => bus.call(deleteSegment, { appId, segmentId: params.id }),
  }),
  route({
    ...reads,
    name: 'countSegment',
    method: 'post',
    path: '/v1/segments/:id/count',
    audit: 'nothing',
    status: 200,
    summary: 'Count the devices of a saved segment and keep the count',
    answers: SegmentCount,
    faults: ['invalid_segment'],
    answer: ({ bus }, { appId, params }) => bus.call(countSegment, { appId, segmentId: params.id }),
  }),
]

const listOfApp = route({
  name: 'listSegmentsOfApp',
  method: 'get',
  path: '/v1/admin/apps/:appId/segments',
  key: 'admin',
  scope: 'read',
  query: PageQuery,
  status: 200,
  summary: 'List saved segments, newest first',
  answers: SegmentsOfApp,
  async answer({ db, bus }, { appId, query }) {
    await getApp(db, appId)
    return cappedList(await bus.call(listSegments, { appId, ...listRequestOf(query) }))
  },
})

/**
 * The segment routes of the administration (spec: administration/segments-templates). The operations are those of the public API. The list of
 * segments has the form of the administration's other lists.
 */
export const segmentsOfApp: readonly Route[] = [listOfApp, ...segments.filter(({ name }) => name !== 'listSegments').map(administered)]
