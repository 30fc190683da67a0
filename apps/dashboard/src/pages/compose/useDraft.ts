import { useEffect, useState, useSyncExternalStore } from 'react'
import type { CampaignDraft } from '../../core/campaign-draft.ts'
import { openDraftSaver, type DraftSaver, type StoredCampaign, type Working } from '../../core/draft-saver.ts'
import { openDraftKeeper } from '../../core/kept-drafts.ts'
import { draftCalls } from './draftCalls.ts'

/** Drafts that this browser keeps until the platform has them. */
export const keeper = openDraftKeeper(localStorage)

/** The draft of a page, and the saver that keeps it. `onMade` is called when the draft has become a campaign. */
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
    // Called once for each id; `onMade` itself never changes.
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
