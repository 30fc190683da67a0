import type { Client } from './client.ts'
import { listOf, type ListQuery } from './list.ts'
import type { CallOptions } from './options.ts'
import { gone } from './recover.ts'
import type { SavedSegment, Schema, Segment } from './schema.ts'

const path = '/v1/segments'
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`

export const segments = (client: Client) => ({
  /** Counts the reachable devices of a segment's definition now; without a definition, all reachable devices. */
  preview: (segment?: Segment, options: CallOptions = {}) =>
    client.request<Schema<'SegmentCount'>>('POST', `${path}/preview`, {
      ...options,
      body: segment === undefined ? {} : { segment },
      repeatable: true,
    }),

  /** Lists all saved segments, newest first: `for await (const segment of herald.segments.list())`. */
  list: (query: ListQuery = {}, options: CallOptions = {}) =>
    listOf<SavedSegment>(query, async (asked) => {
      const { segments: items, nextCursor } = await client.request<Schema<'SegmentList'>>('GET', path, { ...options, query: asked })
      return { items, nextCursor }
    }),

  create: (segment: Schema<'SaveSegment'>, options: CallOptions = {}) =>
    client.request<SavedSegment>('POST', path, { ...options, body: segment }),
  get: (id: string, options: CallOptions = {}) => client.request<SavedSegment>('GET', pathOf(id), options),
  /** Replaces a segment's name, description and definition, and removes its stored count. */
  replace: (id: string, segment: Schema<'SaveSegment'>, options: CallOptions = {}) =>
    client.request<SavedSegment>('PUT', pathOf(id), { ...options, body: segment }),
  delete: (id: string, options: CallOptions = {}) => client.request<void>('DELETE', pathOf(id), { ...options, recover: gone }),
  /** Counts a saved segment's devices now, and stores the number as its `lastCount`. */
  count: (id: string, options: CallOptions = {}) =>
    client.request<Schema<'SegmentCount'>>('POST', `${pathOf(id)}/count`, { ...options, repeatable: true }),
})
