import { api } from '../api/client.ts'

/** How the platform is. Asked again every 10 s while the page is seen. */
export function useSystem() {
  return api.useQuery('get', '/v1/admin/system', {}, { refetchInterval: 10_000, staleTime: 9_000, retry: false })
}
