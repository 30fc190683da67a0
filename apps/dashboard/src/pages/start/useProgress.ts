import { api } from '../../api/client.ts'
import { newestDevice } from './first-device.ts'

const pollMs = 2_000

/**
 * Reads what the first steps of an app have made: a device, a push to it, a secret key that was used. The device is read every 2 s until a push to it
 * was opened.
 */
export function useProgress(appId: string, chosenId: string | undefined) {
  const path = { appId }
  const people = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/users',
    { params: { path, query: { limit: 50 } } },
    { enabled: chosenId === undefined, refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) === 0 ? pollMs : false) },
  )
  const userId = people.data?.items
    .filter(({ reachable }) => reachable > 0)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0]?.id
  const person = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/users/{id}',
    { params: { path: { appId, id: userId ?? '' } } },
    { enabled: chosenId === undefined && userId !== undefined },
  )
  const deviceId = chosenId ?? newestDevice(person.data?.subscriptions ?? [])?.id
  const device = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/subscriptions/{id}',
    { params: { path: { appId, id: deviceId ?? '' } } },
    {
      enabled: deviceId !== undefined,
      refetchInterval: ({ state }) =>
        state.data?.pushes.some(({ engagements }) => engagements.includes('opened')) === true ? false : pollMs,
    },
  )
  const owner = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/users/{id}',
    { params: { path: { appId, id: device.data?.user.id ?? '' } } },
    { enabled: device.data !== undefined },
  )
  const keys = api.useQuery('get', '/v1/admin/apps/{appId}/keys', { params: { path } })
  return {
    device: device.data,
    deviceError: chosenId === undefined ? people.error : device.error,
    owner: owner.data,
    push: device.data?.pushes[0],
    knownPublicKey: keys.data?.items.find(({ publicText }) => publicText !== null)?.publicText ?? undefined,
    isBackendReady: keys.data?.items.some(({ kind, lastUsedAt }) => kind === 'secret' && lastUsedAt !== null) ?? false,
  }
}
