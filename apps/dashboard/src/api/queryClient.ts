import { QueryClient } from '@tanstack/react-query'
import { faultOf } from './fault.ts'

/** Says whether an error may pass by itself, because the gateway or the network was away for a moment. */
export const isPassing = (error: unknown): boolean => {
  const { status, code } = faultOf(error)
  return status === 502 || status === 503 || status === 504 || code === 'network_error'
}

/**
 * The cache of what the pages have read. By default a read that fails because gateway or network is away is repeated up to five times, after 1, 2, 4,
 * 8 and 10 s. Mutations are not repeated.
 */
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
