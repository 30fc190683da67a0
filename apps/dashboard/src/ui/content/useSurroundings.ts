import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { nobody, personOf, samplePerson, type Person } from '../../core/person.ts'
import { useApp } from '../../session/useAppId.ts'

type Tag = { name: string; type: string; values: string[] }
const none: Tag[] = []

/**
 * Reads what a preview needs of an app: its name, its time zone, its tags, and the user whom `key` names (`nobody`, or the id of a user), else a
 * made-up user.
 */
export function useSurroundings(
  appId: string,
  key: string | undefined,
): { app: string; zone: string; tags: readonly Tag[]; person: Person } {
  const { data: app } = useApp()
  const { data: found } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/tags',
    { params: { path: { appId }, query: { limit: 200 } } },
    { staleTime: 60_000, retry: false },
  )
  const tags = found?.items ?? none
  return { app: app?.name ?? 'App', zone: app?.settings.defaultTimezone ?? 'UTC', tags, person: usePerson(appId, key, tags) }
}

function usePerson(appId: string, key: string | undefined, tags: readonly Tag[]): Person {
  const [now] = useState(() => new Date())
  const isUser = key !== undefined && /^[0-9a-f]{24}$/.test(key)
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/users/{id}',
    { params: { path: { appId, id: key ?? '' } } },
    { enabled: isUser, staleTime: 30_000, retry: false },
  )
  return useMemo(() => {
    if (key === 'nobody') return nobody
    return isUser && data ? personOf(data) : samplePerson(tags, now)
  }, [key, isUser, data, tags, now])
}
