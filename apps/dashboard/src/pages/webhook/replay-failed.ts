import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'

/** The most that one click sends again. */
export const mostReplayed = 1_000

type Hour = { appId: string; webhookId: string; from: string; to: string }

/** Sends the failed deliveries of a span of time again, one after another. Deliveries without a body are counted and left out; any other fault ends it. */
export async function replayFailed({ appId, webhookId: id, from, to }: Hour): Promise<{ sent: number; refused: number }> {
  const ids = await failedBetween({ appId, webhookId: id, from, to })
  let sent = 0
  let refused = 0
  for (const deliveryId of ids) {
    try {
      await client.POST('/v1/admin/apps/{appId}/webhooks/{id}/deliveries/{deliveryId}/replay', {
        params: { path: { appId, id, deliveryId } },
      })
      sent += 1
    } catch (error) {
      const { status } = faultOf(error)
      if (status !== 404 && status !== 409) throw error
      refused += 1
    }
  }
  return { sent, refused }
}

/** All ids are read before anything is sent, because a delivery that fails again would be listed again. */
async function failedBetween({ appId, webhookId: id, from, to }: Hour): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const query = { state: 'failed' as const, from, to, limit: 200, ...(cursor === undefined ? {} : { cursor }) }
    const { items, nextCursor } = dataOf(
      await client.GET('/v1/admin/apps/{appId}/webhooks/{id}/deliveries', { params: { path: { appId, id }, query } }),
    )
    found.push(...items.filter(({ replayable }) => replayable).map((delivery) => delivery.id))
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined && found.length < mostReplayed)
  return found.slice(0, mostReplayed)
}
