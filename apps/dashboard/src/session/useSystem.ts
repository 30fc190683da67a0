import { api } from '../api/client.ts'

/** Reads the state of Herald every 10 s while the page is visible. */
export function useSystem() {
  return api.useQuery('get', '/v1/admin/system', {}, { refetchInterval: 10_000, staleTime: 9_000, retry: false })
}
