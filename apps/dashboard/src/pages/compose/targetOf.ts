import type { AudienceDraft } from '../../core/campaign-draft.ts'
import type { EstimateTarget } from '../../ui/segment/Estimate.tsx'

/** The target of an audience, for counting. A segment that was not chosen yet counts as everyone. */
export function targetOf(audience: AudienceDraft): EstimateTarget {
  if (audience.kind === 'own') return { segment: audience.segment }
  return audience.kind === 'saved' && audience.segmentId !== '' ? { segmentId: audience.segmentId } : { all: true }
}
