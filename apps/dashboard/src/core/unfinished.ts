import { emptyDraft, type CampaignDraft } from './campaign-draft.ts'
import type { Unfinished } from './draft-store.ts'

/** The form in which this version of the page stores what is not complete. Herald keeps any JSON. */
export const draftForm = 1

/**
 * Reads what is stored of a message that is not complete; undefined when another program or another version of the page stored it in another form. Fields
 * that a later version of the page has are empty.
 */
export function readUnfinished(revision: number, stored: unknown): Unfinished | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined
  const { form, campaignId = null, draft } = stored as { form?: unknown; campaignId?: string | null; draft?: Partial<CampaignDraft> }
  if (form !== draftForm || !Array.isArray(draft?.content?.entries)) return undefined
  return { revision, campaignId, draft: { ...emptyDraft, ...draft } }
}
