import type { components } from '../api/schema.gen.ts'
import type { AudienceDraft } from './campaign-draft.ts'
import { readTree } from './segment-editor.ts'
import { describeSegment } from './segment-text.ts'
import { some } from './spans.ts'

export type CampaignAudience = components['schemas']['CampaignWithRates']['audience']

const nouns: Record<Extract<CampaignAudience, { kind: 'people' }>['by'], readonly [one: string, more: string]> = {
  externalIds: ['person', 'people'],
  userIds: ['person', 'people'],
  subscriptionIds: ['device', 'devices'],
}

/** Says in words whom a campaign goes to; a page adds the links. A definition that the editor cannot show is `A segment`. */
export function describeAudience(audience: CampaignAudience): string {
  switch (audience.kind) {
    case 'everyone':
      return 'Everyone'
    case 'segment': {
      const root = audience.segment == null ? 'unreadable' : readTree(audience.segment, () => '')
      return root === 'unreadable' ? 'A segment' : describeSegment(root)
    }
    case 'people':
      return some(audience.count, ...nouns[audience.by])
    case 'test':
      return `A test to ${some(audience.count, ...nouns[audience.by])}`
    case 'remainder':
      return `Remaining audience (${(100 - audience.sampleRate * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %)`
    case 'reached':
      return audience.skipOpened ? 'Devices that got a recalled campaign and did not open it' : 'Devices that got a recalled campaign'
  }
}

/** Says in words whom a draft goes to, while the name of its saved segment is not known. */
export function describeDraftAudience(audience: AudienceDraft): string {
  if (audience.kind === 'saved') return 'A saved segment'
  return describeAudience(
    audience.kind === 'everyone' ? { kind: 'everyone' } : { kind: 'segment', segmentId: null, segment: audience.segment },
  )
}
