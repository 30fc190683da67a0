import type { FaultDetail } from '@herald/contracts/fault'
import {
  bodyOfDraft,
  draftOfCampaign,
  filledIn,
  isUntouched,
  type CampaignBody,
  type CampaignDraft,
  type CampaignRead,
} from './campaign-draft.ts'
import { checkDraft } from './check-draft.ts'
import type { DraftKeeper } from './kept-drafts.ts'

export type StoredCampaign = CampaignRead & { id: string; status: string }

/** The calls that save a draft. A refused call throws, and `whyRefused` gives the reason from the thrown error. */
export type DraftCalls = {
  read(id: string): Promise<StoredCampaign>
  /** Makes a campaign. When the call is repeated with the same key, no second campaign is made. */
  create(body: CampaignBody, idempotencyKey: string): Promise<{ id: string }>
  replace(id: string, body: CampaignBody): Promise<StoredCampaign>
  whyRefused(error: unknown): { status: number; message: string; details: FaultDetail[] }
}

export type SaveState =
  | { is: 'untouched' }
  | { is: 'waiting' }
  | { is: 'saving' }
  | { is: 'saved'; at: Date }
  /** The message cannot be a draft yet, or Herald refused it, so only this browser has what was written. */
  | { is: 'kept'; at: Date; details: FaultDetail[]; message: string | undefined }
  /** Herald was not reached, or could not answer. The page tries to save again after 10 s. */
  | { is: 'unreached'; at: Date; message: string }
  /** Another operator or another tab has changed the draft. */
  | { is: 'conflict'; theirs: StoredCampaign }
  /** The campaign is no draft any more: it was sent or deleted. */
  | { is: 'over'; status: string }

export type Working = { draft: CampaignDraft; id: string | null; state: SaveState }

export type DraftSaver = {
  get: () => Working
  subscribe: (listener: () => void) => () => void
  change(draft: CampaignDraft): void
  /** Saves at once what Herald does not have yet. Resolves to true when Herald has what the page shows. */
  saveNow(): Promise<boolean>
  /** Asks Herald whether the draft was changed elsewhere. When it was, and nothing is unsaved here, the page takes the changed draft. */
  look(): Promise<void>
  takeTheirs(): void
  keepMine(): Promise<boolean>
  /** Forgets what this browser has and saves nothing more: the draft is deleted. */
  discard(): void
  close(): void
}

const restMs = 1_000
const againMs = 10_000

/**
 * Stores what an operator writes: in this browser at each change and, once it can be a draft, in Herald 1 s after the last change. It reads the
 * stored draft before replacing it, so others' changes stay.
 */
export function openDraftSaver(
  {
    appId,
    key,
    calls,
    keeper,
    now = () => new Date(),
  }: { appId: string; key: string; calls: DraftCalls; keeper: DraftKeeper; now?: () => Date },
  start: { draft: CampaignDraft; stored: StoredCampaign | undefined },
): DraftSaver {
  let working: Working = {
    draft: start.draft,
    id: start.stored?.id ?? null,
    state: { is: start.stored ? 'saved' : 'untouched', at: now() },
  }
  let known = start.stored && canonical(start.stored)
  let saved = start.stored && JSON.stringify(bodyOfDraft(draftOfCampaign(start.stored)))
  let creating: { body: CampaignBody; idempotencyKey: string } | undefined
  let creates = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<boolean> | undefined
  const listeners = new Set<() => void>()

  const set = (change: Partial<Working>) => {
    working = { ...working, ...change }
    for (const listener of listeners) listener()
  }
  const isSaved = () => JSON.stringify(bodyOfDraft(working.draft)) === saved
  const isBlocked = () => working.state.is === 'conflict' || working.state.is === 'over'
  const later = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void saveNow(), ms)
  }
  const keep = () => keeper.put({ key, appId, id: working.id, at: now().toISOString(), draft: working.draft })

  async function write(): Promise<boolean> {
    const { draft } = working
    const details = checkDraft(draft)
    if (details.length > 0) {
      set({ state: { is: 'kept', at: now(), details, message: undefined } })
      return false
    }
    const body = bodyOfDraft(draft)
    set({ state: { is: 'saving' } })
    try {
      const stored = await store(body)
      if (!stored) return false
      known = canonical(stored)
      if (filledIn(body, stored)) {
        // Herald has filled in from the template a field that the page shows as empty. So the message is detached from its template and is saved again
        // without it.
        set({ draft: { ...working.draft, templateId: null } })
        return await write()
      }
      saved = JSON.stringify(body)
    } catch (error) {
      refused(error)
      return false
    }
    if (!isSaved()) {
      set({ state: { is: 'waiting' } })
      later(restMs)
      return false
    }
    keeper.drop(key)
    set({ state: { is: 'saved', at: now() } })
    return true
  }

  /** Saves the draft. Gives undefined when the draft was changed or sent elsewhere; `state` then says which. Throws when a call fails. */
  async function store(body: CampaignBody): Promise<StoredCampaign | undefined> {
    let { id } = working
    if (id === null) {
      // When the answer to an earlier request was lost, the campaign may exist. So the same request is repeated with the same key, which gives that
      // campaign. What was written since then is saved below.
      creating ??= { body, idempotencyKey: `${key}.${(creates += 1)}` }
      id = (await calls.create(creating.body, creating.idempotencyKey)).id
      set({ id })
      const made = await calls.read(id)
      if (JSON.stringify(creating.body) === JSON.stringify(body)) return made
      known = canonical(made)
    }
    const theirs = await calls.read(id)
    if (theirs.status !== 'draft') {
      set({ state: { is: 'over', status: theirs.status } })
      return undefined
    }
    if (known !== undefined && canonical(theirs) !== known) {
      set({ state: { is: 'conflict', theirs } })
      return undefined
    }
    return calls.replace(id, body)
  }

  function refused(error: unknown): void {
    const { status, message, details } = calls.whyRefused(error)
    if (status >= 400 && status < 500) creating = undefined
    if (status === 409 && working.id !== null) set({ state: { is: 'over', status: 'sent' } })
    else if (status === 404 && working.id !== null && details.length === 0) set({ state: { is: 'over', status: 'deleted' } })
    else if (status >= 400 && status < 500 && status !== 429) set({ state: { is: 'kept', at: now(), details, message } })
    else {
      set({ state: { is: 'unreached', at: now(), message } })
      later(againMs)
    }
  }

  /**
   * Saves at once, if Herald does not have the draft yet. Only one save runs at a time: a call during a save waits until it has ended, and then saves
   * only what is still unsaved.
   */
  async function saveNow(): Promise<boolean> {
    clearTimeout(timer)
    while (running) await running
    if (isBlocked()) return false
    if (isSaved()) return true
    running = write().finally(() => (running = undefined))
    return running
  }

  return {
    get: () => working,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    change(draft) {
      const isBack = working.id === null && isUntouched(draft)
      set({ draft, state: isBlocked() ? working.state : { is: isBack ? 'untouched' : 'waiting' } })
      if (isBack) {
        clearTimeout(timer)
        keeper.drop(key)
        return
      }
      keep()
      if (!isBlocked()) later(restMs)
    },
    saveNow,
    async look() {
      if (working.id === null || running || isBlocked()) return
      const theirs = await calls.read(working.id).catch(() => undefined)
      if (!theirs || running || isBlocked() || canonical(theirs) === known) return
      if (theirs.status !== 'draft') set({ state: { is: 'over', status: theirs.status } })
      else if (isSaved()) take(theirs)
      else set({ state: { is: 'conflict', theirs } })
    },
    takeTheirs() {
      if (working.state.is === 'conflict') take(working.state.theirs)
    },
    async keepMine() {
      if (working.state.is !== 'conflict') return saveNow()
      known = canonical(working.state.theirs)
      saved = undefined
      set({ state: { is: 'waiting' } })
      return saveNow()
    },
    discard() {
      clearTimeout(timer)
      keeper.drop(key)
      set({ state: { is: 'over', status: 'deleted' } })
    },
    close: () => clearTimeout(timer),
  }

  function take(theirs: StoredCampaign): void {
    known = canonical(theirs)
    const draft = draftOfCampaign(theirs)
    saved = JSON.stringify(bodyOfDraft(draft))
    clearTimeout(timer)
    keeper.drop(key)
    set({ draft, state: { is: 'saved', at: now() } })
  }
}

/** Gives a stored campaign as a text, to compare two versions. The text contains the status and the fields that a draft has. */
const canonical = (campaign: StoredCampaign): string => JSON.stringify([campaign.status, bodyOfDraft(draftOfCampaign(campaign))])
