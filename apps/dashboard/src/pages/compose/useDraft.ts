import { useEffect, useState, useSyncExternalStore } from 'react'
import { openDraftSaver, type DraftSaver, type DraftStart, type Working } from '../../core/draft-saver.ts'
import type { DraftCalls, StoredCampaign, Unfinished } from '../../core/draft-store.ts'
import { openDraftKeeper } from '../../core/kept-drafts.ts'
import { draftForm, readUnfinished } from '../../core/unfinished.ts'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'

/** Keeps what is written into messages in this browser until Herald has saved it. */
export const keeper = openDraftKeeper(localStorage)

/** Opens the draft of a page and saves its changes. `onMade` is called with the id under which Herald has the draft, whenever it gets another one. */
export function useDraft(
  appId: string,
  key: string,
  start: DraftStart,
  onMade: (id: string) => void,
): { saver: DraftSaver; working: Working } {
  const [saver] = useState(() => openDraftSaver({ appId, key, calls: draftCalls(appId), keeper }, start))
  const working = useSyncExternalStore(saver.subscribe, saver.get)
  const id = working.id ?? working.unfinishedId
  useEffect(() => {
    if (id !== null && id !== (start.stored?.id ?? start.unfinished?.id)) onMade(id)
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

/** Finds what Herald has of a message that is not complete. The list is asked first, because a browser writes every 404 to its console. */
export async function findUnfinished(appId: string, id: string, signal?: AbortSignal): Promise<Unfinished | undefined> {
  const abort = signal === undefined ? {} : { signal }
  const list = await client.GET('/v1/admin/apps/{appId}/drafts', { params: { path: { appId }, query: { id } }, ...abort })
  if (dataOf(list).items.length === 0) return undefined
  const answer = await client.GET('/v1/admin/apps/{appId}/drafts/{id}', { params: { path: { appId, id } }, ...abort })
  const { revision, draft } = dataOf(answer)
  return readUnfinished(revision, draft)
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
  findUnfinished: (id) => findUnfinished(appId, id),
  async saveUnfinished(id, name, { revision, campaignId, draft }) {
    const body = { revision, draft: { form: draftForm, name, campaignId, draft } }
    return dataOf(await client.PUT('/v1/admin/apps/{appId}/drafts/{id}', { params: { path: { appId, id } }, body }))
  },
  deleteUnfinished: (id) => client.DELETE('/v1/admin/apps/{appId}/drafts/{id}', { params: { path: { appId, id } } }),
  whyRefused(error) {
    const { status, message, details } = faultOf(error)
    return { status, message, details }
  },
})
