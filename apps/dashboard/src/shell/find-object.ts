import { client, dataOf } from '../api/client.ts'
import { faultOf } from '../api/fault.ts'

/** An object that was found by its id: what it is, and its page below /dashboard. */
export type Found = { label: string; href: string }

const mostEndpoints = 20

const found = async (asked: Promise<Found | undefined>): Promise<Found | undefined> =>
  asked.catch((error: unknown) => {
    // An id of 24 characters does not say what kind of object it belongs to, so the page asks for an object of each kind. Most of these requests find
    // nothing, which is no error.
    if (faultOf(error).status === 404 || faultOf(error).status === 422) return undefined
    throw error
  })

/** Finds what a pasted id belongs to: an app, or an object of the app `appId`. Gives undefined when nothing is found. */
export async function findObject(text: string, appId: string | undefined, signal: AbortSignal): Promise<Found | undefined> {
  if (/^dlv_/.test(text)) return appId === undefined ? undefined : findDelivery(text, appId, signal)
  if (!/^[0-9a-f]{24}$/.test(text)) return undefined
  const id = text
  const asked = [
    found(
      client
        .GET('/v1/admin/apps/{appId}', { params: { path: { appId: id } }, signal })
        .then((answer) => ({ label: `App ${dataOf(answer).name}`, href: `/apps/${id}/overview` })),
    ),
  ]
  if (appId !== undefined) {
    const at = { params: { path: { appId, id } }, signal }
    const below = `/apps/${appId}`
    asked.push(
      found(
        client
          .GET('/v1/admin/apps/{appId}/campaigns/{id}', at)
          .then((answer) => ({ label: `Campaign ${dataOf(answer).name}`, href: `${below}/campaigns/${id}` })),
      ),
      found(
        client
          .GET('/v1/admin/apps/{appId}/users/{id}', at)
          .then((answer) => ({ label: `Person ${dataOf(answer).externalId ?? id}`, href: `${below}/people/${id}` })),
      ),
      found(
        client.GET('/v1/admin/apps/{appId}/subscriptions/{id}', at).then((answer) => ({
          label: `Device of ${dataOf(answer).user.externalId ?? dataOf(answer).user.id}`,
          href: `${below}/people/${dataOf(answer).user.id}`,
        })),
      ),
      found(
        client
          .GET('/v1/admin/apps/{appId}/segments/{id}', at)
          .then((answer) => ({ label: `Segment ${dataOf(answer).name}`, href: `${below}/segments/${id}` })),
      ),
      found(
        client
          .GET('/v1/admin/apps/{appId}/templates/{id}', at)
          .then((answer) => ({ label: `Template ${dataOf(answer).name}`, href: `${below}/templates/${id}` })),
      ),
      found(client.GET('/v1/admin/apps/{appId}/webhooks/{id}', at).then(() => ({ label: 'Webhook', href: `${below}/webhooks/${id}` }))),
    )
  }
  return (await Promise.all(asked)).find((one) => one !== undefined)
}

/** Looks for a delivery at each of the app's first 20 webhook endpoints, because the API reads a delivery only together with its endpoint. */
async function findDelivery(deliveryId: string, appId: string, signal: AbortSignal): Promise<Found | undefined> {
  const { items } = dataOf(await client.GET('/v1/admin/apps/{appId}/webhooks', { params: { path: { appId } }, signal }))
  const asked = items
    .slice(0, mostEndpoints)
    .map(({ id }) =>
      found(
        client
          .GET('/v1/admin/apps/{appId}/webhooks/{id}/deliveries/{deliveryId}', { params: { path: { appId, id, deliveryId } }, signal })
          .then(() => ({ label: `Delivery ${deliveryId}`, href: `/apps/${appId}/webhooks/${id}?deliveryId=${deliveryId}` })),
      ),
    )
  return (await Promise.all(asked)).find((one) => one !== undefined)
}
