import type { FaultDetail } from '@herald/contracts/fault'
import {
  bodyOfDraft,
  draftOfCampaign,
  filledIn,
  nameOf,
  type CampaignBody,
  type CampaignDraft,
  type CampaignRead,
} from './campaign-draft.ts'
import { checkDraft } from './check-draft.ts'
import { newId } from './new-id.ts'

export type StoredCampaign = CampaignRead & { id: string; status: string }
/** What Herald has of a message that is no campaign yet, or of a campaign's draft whose changes are not complete. */
export type Unfinished = { revision: number; campaignId: string | null; draft: CampaignDraft }
type Refusal = { status: number; message: string; details: FaultDetail[] }

/** The calls that save a draft. A refused call throws, and `whyRefused` gives the reason from the thrown error. */
export type DraftCalls = {
  read(id: string): Promise<StoredCampaign>
  /** Makes a campaign. When the call is repeated with the same key, no second campaign is made. */
  create(body: CampaignBody, idempotencyKey: string): Promise<{ id: string }>
  replace(id: string, body: CampaignBody): Promise<StoredCampaign>
  findUnfinished(id: string): Promise<Unfinished | undefined>
  /** Saves a message that is not complete, over the revision that was seen; 0 when there is none. */
  saveUnfinished(id: string, name: string, draft: Unfinished): Promise<{ revision: number }>
  deleteUnfinished(id: string): Promise<unknown>
  whyRefused(error: unknown): Refusal
}

/** Another operator's version of the draft. */
export type Theirs = { campaign: StoredCampaign } | { unfinished: Unfinished }

/** What became of a save. */
export type Outcome =
  /** Herald has it as a campaign. `isDetached`: its template had to be let go of, because the API cannot say "empty". */
  | { is: 'saved'; isDetached: boolean }
  /** Herald has it as a text that is no campaign: it is not complete (no message), or Herald refused it as a campaign. */
  | { is: 'noted'; details: FaultDetail[]; message: string | undefined }
  /** Herald refused to keep it at all. */
  | { is: 'kept'; details: FaultDetail[]; message: string }
  | { is: 'unreached'; message: string }
  /** Another operator or another tab has changed the draft. */
  | { is: 'conflict'; theirs: Theirs }
  /** The campaign is no draft any more: it was sent or deleted. */
  | { is: 'over'; status: string }

export type DraftStore = ReturnType<typeof openDraftStore>

/** Keeps one draft in Herald: as an unfinished text while it is not complete, else as a campaign. It overwrites no version that it has not seen. */
export function openDraftStore(
  { key, calls }: { key: string; calls: DraftCalls },
  start: { stored: StoredCampaign | undefined; unfinished: ({ id: string } & Unfinished) | undefined },
) {
  let id = start.stored?.id ?? null
  let known = start.stored && canonical(start.stored)
  let unfinishedId = start.unfinished?.id ?? null
  let revision = start.unfinished?.revision ?? 0
  let creating: { body: CampaignBody; idempotencyKey: string } | undefined
  let creates = 0

  async function saveCampaign(draft: CampaignDraft): Promise<Outcome> {
    const body = bodyOfDraft(draft)
    const stored = await store(body)
    if ('is' in stored) return stored
    known = canonical(stored)
    // Herald has filled in from the template a field that the page shows as empty. So the message is detached from its template and saved again.
    if (filledIn(body, stored)) {
      const again = await saveCampaign({ ...draft, templateId: null })
      return again.is === 'saved' ? { ...again, isDetached: true } : again
    }
    await forgetUnfinished()
    return { is: 'saved', isDetached: false }
  }

  async function store(body: CampaignBody): Promise<StoredCampaign | Outcome> {
    if (id === null) {
      // When the answer to an earlier request was lost, the campaign may exist. So the same request is repeated with the same key, which gives that
      // campaign. What was written since then is saved below.
      creating ??= { body, idempotencyKey: `${key}.${(creates += 1)}` }
      id = (await calls.create(creating.body, creating.idempotencyKey)).id
      const made = await calls.read(id)
      if (JSON.stringify(creating.body) === JSON.stringify(body)) return made
      known = canonical(made)
    }
    const theirs = await calls.read(id)
    if (theirs.status !== 'draft') return { is: 'over', status: theirs.status }
    if (known !== undefined && canonical(theirs) !== known) return { is: 'conflict', theirs: { campaign: theirs } }
    return calls.replace(id, body)
  }

  async function saveUnfinished(draft: CampaignDraft, why: { details: FaultDetail[]; message: string | undefined }): Promise<Outcome> {
    unfinishedId ??= id ?? newId()
    try {
      revision = (await calls.saveUnfinished(unfinishedId, nameOf(draft), { revision, campaignId: id, draft })).revision
      return { is: 'noted', ...why }
    } catch (error) {
      const { status, message, details } = calls.whyRefused(error)
      const theirs = status === 409 ? await calls.findUnfinished(unfinishedId).catch(() => undefined) : undefined
      if (theirs) return { is: 'conflict', theirs: { unfinished: theirs } }
      if (status === 409 && revision > 0) return { is: 'over', status: 'deleted' }
      if (!isFinal(status)) return { is: 'unreached', message }
      return why.message === undefined ? { is: 'kept', message, details } : { is: 'kept', message: why.message, details: why.details }
    }
  }

  async function forgetUnfinished(): Promise<void> {
    if (unfinishedId === null || revision === 0) return
    // When this fails the text stays in the list of drafts, from where it can be deleted.
    await calls.deleteUnfinished(unfinishedId).catch(() => undefined)
    unfinishedId = null
    revision = 0
  }

  return {
    ids: () => ({ id, unfinishedId: revision > 0 ? unfinishedId : null }),
    async save(draft: CampaignDraft): Promise<Outcome> {
      const missing = checkDraft(draft)
      if (missing.length > 0) return saveUnfinished(draft, { details: missing, message: undefined })
      try {
        return await saveCampaign(draft)
      } catch (error) {
        const { status, message, details } = calls.whyRefused(error)
        if (!isFinal(status)) return { is: 'unreached', message }
        creating = undefined
        if (status === 409 && id !== null) return { is: 'over', status: 'sent' }
        if (status === 404 && id !== null && details.length === 0) return { is: 'over', status: 'deleted' }
        return saveUnfinished(draft, { details, message })
      }
    },
    /** Gives what another operator or tab has made of the draft; undefined when it is as this page knows it, or Herald does not answer. */
    async look(): Promise<Theirs | { is: 'over'; status: string } | undefined> {
      if (revision > 0 && unfinishedId !== null) {
        const theirs = await calls.findUnfinished(unfinishedId).catch(() => null)
        if (theirs === null || theirs?.revision === revision) return undefined
        return theirs ? { unfinished: theirs } : { is: 'over', status: 'deleted' }
      }
      const theirs = id === null ? undefined : await calls.read(id).catch(() => undefined)
      if (!theirs || canonical(theirs) === known) return undefined
      return theirs.status === 'draft' ? { campaign: theirs } : { is: 'over', status: theirs.status }
    },
    /** From now on this version counts as seen. Gives it as the editor holds it. */
    see(theirs: Theirs): CampaignDraft {
      if ('campaign' in theirs) {
        known = canonical(theirs.campaign)
        return draftOfCampaign(theirs.campaign)
      }
      revision = theirs.unfinished.revision
      return theirs.unfinished.draft
    },
    forgetUnfinished,
  }
}

/** Whether Herald refused a request for good, so that the same request would be refused again. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 429

/** Gives a stored campaign as a text, to compare two versions. The text contains the status and the fields that a draft has. */
const canonical = (campaign: StoredCampaign): string => JSON.stringify([campaign.status, bodyOfDraft(draftOfCampaign(campaign))])
