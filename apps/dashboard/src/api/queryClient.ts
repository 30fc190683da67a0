import { QueryClient } from '@tanstack/react-query'
import { faultOf } from './fault.ts'

/** Whether a failed read is repeated by itself: the gateway, or the network to it, was away for a moment. */
export const isPassing = (error: unknown): boolean => {
  const { status, code } = faultOf(error)
  return status === 502 || status === 503 || status === 504 || code === 'network_error'
}

/** The cache of everything that the pages have read. Reads are repeated after 1, 2, 4 … 10 s while the gateway is away; a change is never repeated without the operator. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => isPassing(error) && count < 5,
      retryDelay: (count) => Math.min(1000 * 2 ** count, 10_000),
      staleTime: 2_000,
      gcTime: 300_000,
    },
    mutations: { retry: false },
  },
})
