import { useParams } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { faultOf } from '../api/fault.ts'

/** Gives the id of the app in the address. Throws on a page that is not below /apps/$appId. */
export function useAppId(): string {
  const { appId } = useParams({ strict: false })
  if (appId === undefined) throw new Error('This page belongs to no app')
  return appId
}

/** Gives the id of the app in the address; undefined on a page that belongs to no app. */
export const useAppIdIfAny = (): string | undefined => useParams({ strict: false }).appId

/** Reads the app whose id is in the address. */
export function useApp() {
  const appId = useAppId()
  return api.useQuery('get', '/v1/admin/apps/{appId}', { params: { path: { appId } } }, { staleTime: 30_000 })
}

/** Says whether the app in the address was deleted. It is asked every 4 s, because another operator may delete the app while its pages are open. */
export function useIsAppGone(appId: string | undefined): boolean {
  const { error } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}',
    { params: { path: { appId: appId ?? '' } } },
    { enabled: appId !== undefined, staleTime: 3_000, refetchInterval: ({ state }) => (isGone(state.error) ? false : 4_000) },
  )
  return appId !== undefined && isGone(error)
}
const isGone = (error: unknown): boolean => error !== null && faultOf(error).status === 404
