import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'

/** At most this many deliveries are sent again by one click. */
const mostReplayed = 1_000

type Hour = { appId: string; webhookId: string; from: string; to: string }

/**
 * Asks Herald to send the failed deliveries between `from` and `to` again, one after another. `refused`: how many are not stored any more, or without
 * their body. Throws any other error; the rest is then not sent.
 */
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

/**
 * Gives the ids of at most `mostReplayed` failed deliveries whose body is stored. All are read before the first is sent, because a delivery that
 * fails again would be listed again.
 */
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
