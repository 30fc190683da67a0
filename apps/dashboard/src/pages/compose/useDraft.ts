import { useEffect, useState, useSyncExternalStore } from 'react'
import type { CampaignDraft } from '../../core/campaign-draft.ts'
import { openDraftSaver, type DraftSaver, type StoredCampaign, type Working, type DraftCalls } from '../../core/draft-saver.ts'
import { openDraftKeeper } from '../../core/kept-drafts.ts'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'

/** Keeps what is written into messages in this browser until Herald has saved it. */
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

/** Reads a campaign from the API, never from the page's cache. */
export async function readCampaign(appId: string, id: string, signal?: AbortSignal): Promise<StoredCampaign> {
  const answer = await client.GET('/v1/admin/apps/{appId}/campaigns/{id}', {
    params: { path: { appId, id } },
    ...(signal === undefined ? {} : { signal }),
  })
  return dataOf(answer) as StoredCampaign
}

/** Gives the calls of the administration API that read and save the drafts of an app. */
const draftCalls = (appId: string): DraftCalls => ({
  read: (id) => readCampaign(appId, id),
  async create(body, idempotencyKey) {
    const answer = await client.POST('/v1/admin/apps/{appId}/campaigns', {
      params: { path: { appId }, header: { 'Idempotency-Key': idempotencyKey } },
      body: body as never,
    })
    return dataOf(answer)
  },
  async replace(id, body) {
    const answer = await client.PUT('/v1/admin/apps/{appId}/campaigns/{id}', { params: { path: { appId, id } }, body: body as never })
    return dataOf(answer) as StoredCampaign
  },
  whyRefused(error) {
    const { status, message, details } = faultOf(error)
    return { status, message, details }
  },
})
