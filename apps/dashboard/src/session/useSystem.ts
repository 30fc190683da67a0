import { api, sendWithin } from '../api/client.ts'

/**
 * Reads the state of Herald every 10 s while the page is visible, and every 2 s while Herald, its database or NATS is away: an answer makes
 * the pages read again what failed (api/queryClient.ts).
 */
export function useSystem() {
  return api.useQuery(
    'get',
    '/v1/admin/system',
    { fetch: sendWithin(4_000) },
    {
      refetchInterval: ({ state }) =>
        state.error === null && state.data?.database === 'ready' && state.data.queue === 'ready' ? 10_000 : 2_000,
      staleTime: 9_000,
      retry: false,
    },
  )
}
