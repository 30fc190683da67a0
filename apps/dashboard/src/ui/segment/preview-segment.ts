import type { SegmentDefinition } from '@herald/contracts/segment-definition'
import { client, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'

/** Counts the reachable devices of a segment now, as a send would. */
export async function previewSegment(appId: string, definition: SegmentDefinition, signal: AbortSignal) {
  const counted = await client.POST('/v1/admin/apps/{appId}/segments/preview', {
    params: { path: { appId } },
    body: { segment: definition as components['schemas']['Segment'] },
    signal,
  })
  return dataOf(counted)
}
