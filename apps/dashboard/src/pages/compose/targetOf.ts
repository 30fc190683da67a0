import type { AudienceDraft } from '../../core/campaign-draft.ts'
import type { EstimateTarget } from '../../ui/segment/Estimate.tsx'

/** Gives the target with which the devices of an audience are counted. While no saved segment is chosen, everyone is counted. */
export function targetOf(audience: AudienceDraft): EstimateTarget {
  if (audience.kind === 'own') return { segment: audience.segment }
  return audience.kind === 'saved' && audience.segmentId !== '' ? { segmentId: audience.segmentId } : { all: true }
}
