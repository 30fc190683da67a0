import type { FaultDetail } from '@herald/contracts/fault'
import { bodyOfDraft, draftOfCampaign, isUntouched, type CampaignBody, type CampaignDraft, type CampaignRead } from './campaign-draft.ts'
import { checkDraft } from './check-draft.ts'
import type { DraftKeeper } from './kept-drafts.ts'

export type StoredCampaign = CampaignRead & { id: string; status: string }

/** The calls that keep a draft. A refused call throws; `whyRefused` says why it was refused. */
export type DraftCalls = {
  read(id: string): Promise<StoredCampaign>
  /** A call that is repeated with the same key makes one campaign. */
  create(body: CampaignBody, idempotencyKey: string): Promise<{ id: string }>
  replace(id: string, body: CampaignBody): Promise<StoredCampaign>
  whyRefused(error: unknown): { status: number; message: string; details: FaultDetail[] }
}

export type SaveState =
  | { is: 'untouched' }
  | { is: 'waiting' }
  | { is: 'saving' }
  | { is: 'saved'; at: Date }
  /** The message cannot be a draft yet, or was refused: it is in this browser only. */
  | { is: 'kept'; at: Date; details: FaultDetail[]; message: string | undefined }
  /** The platform was not reached; saving is tried again. */
  | { is: 'unreached'; at: Date; message: string }
  /** Another operator or another tab has changed the draft since. */
  | { is: 'conflict'; theirs: StoredCampaign }
  /** The campaign is no draft any more: it was sent or deleted. */
  | { is: 'over'; status: string }

export type Working = { draft: CampaignDraft; id: string | null; state: SaveState }

export type DraftSaver = {
  get: () => Working
  subscribe: (listener: () => void) => () => void
  change(draft: CampaignDraft): void
  /** Saves what is not saved yet. Resolves to true when the platform has what the page shows. */
  saveNow(): Promise<boolean>
  /** Asks whether the draft was changed elsewhere. If nothing was changed here, the other version is taken. */
  look(): Promise<void>
  takeTheirs(): void
  keepMine(): Promise<boolean>
  close(): void
}

const restMs = 1_000
const againMs = 10_000

/**
 * Keeps what an operator writes: in this browser at each change, at the platform 1 s after the last one. It reads the stored draft before it replaces it, so that what was
 * changed elsewhere meanwhile is not overwritten unseen.
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

  /** Gives undefined when the draft was not stored; the state then says why. */
  async function store(body: CampaignBody): Promise<StoredCampaign | undefined> {
    let { id } = working
    if (id === null) {
      // A request whose answer was lost may have made the campaign. It is repeated as it was, and what was written since is saved over it.
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

  /** One save at a time: a call that comes meanwhile saves once more afterwards. */
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

/** The fields of a campaign that a draft has, as a text to compare. */
const canonical = (campaign: StoredCampaign): string => JSON.stringify([campaign.status, bodyOfDraft(draftOfCampaign(campaign))])
