import type { FaultDetail } from '@herald/contracts/fault'
import { bodyOfDraft, draftOfCampaign, isUntouched, type CampaignDraft } from './campaign-draft.ts'
import { openDraftStore, type DraftCalls, type Outcome, type StoredCampaign, type Theirs, type Unfinished } from './draft-store.ts'
import type { DraftKeeper } from './kept-drafts.ts'

export type SaveState =
  | { is: 'untouched' }
  | { is: 'waiting' }
  | { is: 'saving' }
  /** Herald has it as a campaign. */
  | { is: 'saved'; at: Date }
  /** Herald has it as a text that is no campaign: it is not complete yet, or Herald refused it as a campaign and `message` says why. */
  | { is: 'noted'; at: Date; details: FaultDetail[]; message: string | undefined }
  /** Herald refused to keep it, so only this browser has what was written. */
  | { is: 'kept'; at: Date; details: FaultDetail[]; message: string }
  /** Herald was not reached, or could not answer. The page tries to save again after 10 s. */
  | { is: 'unreached'; at: Date; message: string }
  /** Another operator or another tab has changed the draft. */
  | { is: 'conflict'; theirs: Theirs }
  /** The campaign is no draft any more: it was sent or deleted. */
  | { is: 'over'; status: string }

/** `id`: of the campaign. `unfinishedId`: of what Herald has beside it, or in its place, because it is not complete. */
export type Working = { draft: CampaignDraft; id: string | null; unfinishedId: string | null; state: SaveState }

/** What a page begins with: the draft on screen, the campaign that Herald has, and what it has that is not complete. */
export type DraftStart = {
  draft: CampaignDraft
  stored: StoredCampaign | undefined
  unfinished?: ({ id: string } & Unfinished) | undefined
}

export type DraftSaver = {
  get: () => Working
  subscribe: (listener: () => void) => () => void
  change(draft: CampaignDraft): void
  /** Saves at once what Herald does not have yet. Resolves to true when Herald has what the page shows as a campaign. */
  saveNow(): Promise<boolean>
  /** Asks Herald whether the draft was changed elsewhere. When it was, and nothing is unsaved here, the page takes the changed draft. */
  look(): Promise<void>
  takeTheirs(): void
  keepMine(): Promise<boolean>
  /** Forgets what this browser has, and what Herald has that is not complete, and saves nothing more: the draft is deleted. */
  discard(): Promise<void>
  close(): void
}

const restMs = 1_000
const againMs = 10_000

/**
 * Saves what an operator writes 1 s after the last change: in Herald as a campaign once it is complete, else as an unfinished draft. Until Herald has
 * it, this browser keeps it (spec: dashboard/draft-kept).
 */
export function openDraftSaver(
  {
    appId,
    key,
    calls,
    keeper,
    now = () => new Date(),
  }: { appId: string; key: string; calls: DraftCalls; keeper: DraftKeeper; now?: () => Date },
  start: DraftStart,
): DraftSaver {
  const store = openDraftStore({ key, calls }, { stored: start.stored, unfinished: start.unfinished })
  const first: SaveState = start.unfinished
    ? { is: 'noted', at: now(), details: [], message: undefined }
    : { is: start.stored ? 'saved' : 'untouched', at: now() }
  let working: Working = { draft: start.draft, ...store.ids(), state: first }
  let saved = start.unfinished ? bodyText(start.draft) : start.stored && bodyText(draftOfCampaign(start.stored))
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<boolean> | undefined
  const listeners = new Set<() => void>()

  const set = (change: Partial<Working>) => {
    working = { ...working, ...store.ids(), ...change }
    for (const listener of listeners) listener()
  }
  const isSaved = () => bodyText(working.draft) === saved
  const isBlocked = () => working.state.is === 'conflict' || working.state.is === 'over'
  const later = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void saveNow(), ms)
  }
  const keep = () => keeper.put({ key, appId, id: working.id, at: now().toISOString(), draft: working.draft })

  async function write(): Promise<boolean> {
    const { draft } = working
    set({ state: { is: 'saving' } })
    const outcome = await store.save(draft)
    if (isBlocked()) return false
    if (outcome.is !== 'saved' && outcome.is !== 'noted') {
      set({ state: stateOf(outcome, now()) })
      if (outcome.is === 'unreached') later(againMs)
      return false
    }
    const isDetached = outcome.is === 'saved' && outcome.isDetached
    if (isDetached) set({ draft: { ...working.draft, templateId: null } })
    // What Herald refused as a campaign is asked for again when the operator asks for it.
    saved =
      outcome.is === 'noted' && outcome.message !== undefined ? undefined : bodyText(isDetached ? { ...draft, templateId: null } : draft)
    if (bodyText(working.draft) !== bodyText(isDetached ? { ...draft, templateId: null } : draft)) {
      set({ state: { is: 'waiting' } })
      later(restMs)
      return false
    }
    keeper.drop(key)
    set({ state: stateOf(outcome, now()) })
    return outcome.is === 'saved'
  }

  /**
   * Saves at once, if Herald does not have the draft yet. Only one save runs at a time: a call during a save waits until it has ended, and then saves
   * only what is still unsaved.
   */
  async function saveNow(): Promise<boolean> {
    clearTimeout(timer)
    while (running) await running
    if (isBlocked()) return false
    if (isSaved()) return working.state.is !== 'noted'
    running = write().finally(() => (running = undefined))
    return running
  }

  function take(theirs: Theirs): void {
    const draft = store.see(theirs)
    saved = bodyText(draft)
    clearTimeout(timer)
    keeper.drop(key)
    const at = now()
    set({ draft, state: 'campaign' in theirs ? { is: 'saved', at } : { is: 'noted', at, details: [], message: undefined } })
  }

  return {
    get: () => working,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    change(draft) {
      const isBack = working.id === null && working.unfinishedId === null && !running && isUntouched(draft)
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
      if (running || isBlocked()) return
      const theirs = await store.look()
      if (!theirs || running || isBlocked()) return
      if ('is' in theirs) set({ state: theirs })
      else if (isSaved()) take(theirs)
      else set({ state: { is: 'conflict', theirs } })
    },
    takeTheirs() {
      if (working.state.is === 'conflict') take(working.state.theirs)
    },
    async keepMine() {
      if (working.state.is !== 'conflict') return saveNow()
      store.see(working.state.theirs)
      saved = undefined
      set({ state: { is: 'waiting' } })
      return saveNow()
    },
    async discard() {
      clearTimeout(timer)
      keeper.drop(key)
      set({ state: { is: 'over', status: 'deleted' } })
      await store.forgetUnfinished()
    },
    close: () => clearTimeout(timer),
  }
}

const bodyText = (draft: CampaignDraft): string => JSON.stringify(bodyOfDraft(draft))

/** Gives the state that the page shows after a save. */
function stateOf(outcome: Outcome, at: Date): SaveState {
  return outcome.is === 'saved' ? { is: 'saved', at } : outcome.is === 'conflict' || outcome.is === 'over' ? outcome : { ...outcome, at }
}
