import { QueryClient } from '@tanstack/react-query'
import { faultOf } from './fault.ts'

/** Whether a read is worth repeating by itself: the platform was away for a moment, or the way to it. */
export const isPassing = (error: unknown): boolean => {
  const { status, code } = faultOf(error)
  return status === 502 || status === 503 || status === 504 || code === 'network_error'
}

/** What the pages know of the platform. Reads are repeated after 1, 2, 4 … 10 s while it is away; writes wait for the person. */
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
