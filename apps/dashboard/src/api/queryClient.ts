import { QueryCache, QueryClient, type Query } from '@tanstack/react-query'
import { faultOf } from './fault.ts'

/** Says whether an error may pass by itself, because the gateway or the network was away for a moment. */
export const isPassing = (error: unknown): boolean => {
  const { status, code } = faultOf(error)
  return status === 502 || status === 503 || status === 504 || code === 'network_error' || code === 'timeout'
}

const systemPath = '/v1/admin/system'
const isOfSystem = ({ queryKey }: Query): boolean => queryKey[1] === systemPath

/**
 * Any answer shows that Herald is back, so what failed meanwhile is read again. A read that fails asks for the state of Herald at once, which the
 * banner shows.
 */
const queryCache = new QueryCache({
  onSuccess: () => {
    for (const query of queryCache.findAll({
      type: 'active',
      predicate: ({ state }) => state.status === 'error' && isPassing(state.error),
    }))
      if (query.state.fetchStatus === 'idle') void query.fetch().catch(() => undefined)
  },
  onError: (error, query) => {
    if (isPassing(error) && !isOfSystem(query as Query)) void queryClient.invalidateQueries({ queryKey: ['get', systemPath] })
  },
})

/**
 * The cache of what the pages have read. By default a read that fails because gateway or network is away is repeated twice, after 1 and 2 s, and
 * again when Herald answers anything. Mutations are not repeated.
 */
export const queryClient = new QueryClient({
  queryCache,
  defaultOptions: {
    queries: {
      retry: (count, error) => isPassing(error) && count < 2,
      retryDelay: (count) => 1000 * 2 ** count,
      staleTime: 2_000,
      gcTime: 300_000,
    },
    mutations: { retry: false },
  },
})
