import { api } from '../api/client.ts'
import { useAppId } from './useAppId.ts'

/** Reads the app whose id is in the address. */
export function useApp() {
  const appId = useAppId()
  return api.useQuery('get', '/v1/admin/apps/{appId}', { params: { path: { appId } } }, { staleTime: 30_000 })
}
