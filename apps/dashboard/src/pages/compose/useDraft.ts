import { useEffect, useState, useSyncExternalStore } from 'react'
import type { CampaignDraft } from '../../core/campaign-draft.ts'
import { openDraftSaver, type DraftSaver, type StoredCampaign, type Working } from '../../core/draft-saver.ts'
import { openDraftKeeper } from '../../core/kept-drafts.ts'
import { draftCalls } from './draftCalls.ts'

/** Keeps drafts in this browser until Herald has them. */
export const keeper = openDraftKeeper(localStorage)

/** Opens the draft of a page and saves its changes. `onMade` is called when Herald has made a campaign of the draft. */
export function useDraft(
  appId: string,
  key: string,
  start: { draft: CampaignDraft; stored: StoredCampaign | undefined },
  onMade: (id: string) => void,
): { saver: DraftSaver; working: Working } {
  const [saver] = useState(() => openDraftSaver({ appId, key, calls: draftCalls(appId), keeper }, start))
  const working = useSyncExternalStore(saver.subscribe, saver.get)
  const { id } = working
  useEffect(() => {
    if (id !== null && id !== start.stored?.id) onMade(id)
    // `onMade` is called once for each id, so it is not among the dependencies.
  }, [id])
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && void saver.look()
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      if (saver.get().state.is === 'waiting') void saver.saveNow()
      saver.close()
    }
  }, [saver])
  return { saver, working }
}
