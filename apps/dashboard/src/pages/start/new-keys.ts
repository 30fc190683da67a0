import { queryOptions, skipToken } from '@tanstack/react-query'
import { client, dataOf } from '../../api/client.ts'
import { queryClient } from '../../api/queryClient.ts'

/** Keys that were just made and are shown once. They are in memory only, until the page is closed or the session ends. */
export type NewKeys = { publicKey: string; secretKey: string }

/** The cache entry of the keys that were made for an app since this page was loaded. */
export const newKeysQuery = (appId: string) =>
  queryOptions<NewKeys>({ queryKey: ['new-keys', appId], queryFn: skipToken, staleTime: Infinity, gcTime: Infinity })

/** Makes a public and a secret key, which the start page of the app then shows. */
export async function makeKeys(appId: string): Promise<void> {
  const make = async (kind: 'public' | 'secret', name: string): Promise<string> =>
    dataOf(await client.POST('/v1/admin/apps/{appId}/keys', { params: { path: { appId } }, body: { kind, name } })).key
  const publicKey = await make('public', 'first page')
  const secretKey = await make('secret', 'first backend')
  queryClient.setQueryData(newKeysQuery(appId).queryKey, { publicKey, secretKey })
  await queryClient.invalidateQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/keys'] })
}
