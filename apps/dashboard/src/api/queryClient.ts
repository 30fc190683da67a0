import { QueryClient } from '@tanstack/react-query'
import { faultOf } from './fault.ts'

/**
 * Says whether an error may pass by itself, because the gateway or the network was away for a moment. A read that failed with another error is not
 * repeated.
 */
export const isPassing = (error: unknown): boolean => {
  const { status, code } = faultOf(error)
  return status === 502 || status === 503 || status === 504 || code === 'network_error'
}

/**
 * The cache of everything that the pages have read. A read that fails because the gateway is away is repeated five times, after 1, 2, 4, 8 and 10 s.
 * A change is never repeated unless the operator asks for it.
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
