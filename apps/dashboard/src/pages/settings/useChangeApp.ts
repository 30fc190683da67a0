import { useQueryClient } from '@tanstack/react-query'
import { api, client, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'

export type App = components['schemas']['AppRead']

/** Gives a function that changes an app. Afterwards the pages show the changed app. */
export function useChangeApp(appId: string): (changes: components['schemas']['ChangeAppBody']) => Promise<App> {
  const cache = useQueryClient()
  return async (changes) => {
    const changed = dataOf(await client.PATCH('/v1/admin/apps/{appId}', { params: { path: { appId } }, body: changes }))
    cache.setQueryData(api.queryOptions('get', '/v1/admin/apps/{appId}', { params: { path: { appId } } }).queryKey, changed)
    await cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === '/v1/admin/apps' })
    return changed
  }
}
