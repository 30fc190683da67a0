import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { DraftCalls, StoredCampaign } from '../../core/draft-saver.ts'

/** Reads a campaign from the API, never from the page's cache. */
export async function readCampaign(appId: string, id: string, signal?: AbortSignal): Promise<StoredCampaign> {
  const answer = await client.GET('/v1/admin/apps/{appId}/campaigns/{id}', {
    params: { path: { appId, id } },
    ...(signal === undefined ? {} : { signal }),
  })
  return dataOf(answer) as StoredCampaign
}

/** Gives the calls of the administration API that save the drafts of an app. */
export const draftCalls = (appId: string): DraftCalls => ({
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
