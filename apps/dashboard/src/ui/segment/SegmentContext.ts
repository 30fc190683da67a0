import { createContext, useContext } from 'react'
import type { EditorLeaf } from '../../core/segment-editor.ts'
import { api } from '../../api/client.ts'
import type { Mistake } from '../../core/segment-mistakes.ts'

export type ValueProps = { value: unknown; onChange: (value: unknown) => void; control: ControlMarks }

/** The HTML attributes that connect a control with its mistakes. */
export type ControlMarks = { 'aria-invalid'?: boolean | undefined; 'aria-describedby'?: string | undefined }

/** A tag that users have, with some of its values. */
export type KnownTag = { name: string; type: 'string' | 'number' | 'boolean' | 'mixed'; users: number; values: string[] }

/** What the rows of the segment editor use: the known tags, the mistakes, and the functions that change the segment. */
export type SegmentActions = {
  tags: readonly KnownTag[]
  mistakesOf: (ids: readonly string[]) => readonly Mistake[]
  canUngroup: (id: string) => boolean
  changeLeaf: (id: string, changes: Partial<Pick<EditorLeaf, 'field' | 'op' | 'value'>>) => void
  changeKind: (id: string, kind: 'and' | 'or') => void
  addLeaf: (groupId?: string) => void
  addGroup: (groupId?: string) => void
  move: (id: string, step: -1 | 1) => void
  lift: (id: string) => void
  group: (id: string) => void
  ungroup: (id: string) => void
  negate: (id: string) => void
  remove: (id: string) => void
}

export const SegmentContext = createContext<SegmentActions | undefined>(undefined)

/** Gives the functions of the segment editor that this row is in. */
export function useSegment(): SegmentActions {
  const actions = useContext(SegmentContext)
  if (actions === undefined) throw new Error('A row of a segment stands outside a segment builder.')
  return actions
}

const none: KnownTag[] = []

/** Reads the first 200 tags that users of the app have, by name. The editor works without them too, because a tag can be typed. */
export function useKnownTags(appId: string): readonly KnownTag[] {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/tags',
    { params: { path: { appId }, query: { limit: 200 } } },
    { staleTime: 60_000, retry: false },
  )
  return data?.items ?? none
}
