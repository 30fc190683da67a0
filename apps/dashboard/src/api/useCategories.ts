import { api } from './client.ts'
import type { components } from './schema.gen.ts'

export type Category = components['schemas']['Category']

/** Reads the categories of an app, which are at most 50. */
export const useCategories = (appId: string) =>
  api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/categories',
    { params: { path: { appId }, query: { limit: 50 } } },
    // They are read again where they are changed.
    { staleTime: 30_000 },
  )
