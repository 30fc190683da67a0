import { api } from '../api/client.ts'
import { useAppId } from './useAppId.ts'

/** The app of the page: its record as a query. */
export function useApp() {
  const appId = useAppId()
  return api.useQuery('get', '/v1/admin/apps/{appId}', { params: { path: { appId } } }, { staleTime: 30_000 })
}
