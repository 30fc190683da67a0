import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { client, dataOf } from '../api/client.ts'
import { findApps } from './app-choice.ts'
import { findObject, type Found } from './find-object.ts'

const most = 5

/**
 * Finds what a text may mean: up to five apps and five campaigns whose name begins with it, up to five users whose external id begins with it, and
 * the object whose id it is.
 */
export function usePaletteSearch(text: string, appId: string | undefined) {
  const asked = useRested(text.trim())
  return useQuery({
    queryKey: ['palette', appId, asked],
    enabled: asked !== '',
    retry: false,
    queryFn: async ({ signal }): Promise<{ group: string; items: Found[] }[]> => {
      const [object, apps, campaigns, people] = await Promise.all([
        findObject(asked, appId, signal),
        findApps(asked, signal),
        appId === undefined ? [] : findCampaigns(appId, asked, signal),
        appId === undefined ? [] : findPeople(appId, asked, signal),
      ])
      return [
        { group: 'This id', items: object === undefined ? [] : [object] },
        { group: 'Campaigns', items: campaigns },
        { group: 'People', items: people },
        { group: 'Apps', items: apps.slice(0, most).map(({ id, name }) => ({ label: name, href: `/apps/${id}/overview` })) },
      ].filter(({ items }) => items.length > 0)
    },
  })
}

async function findCampaigns(appId: string, q: string, signal: AbortSignal): Promise<Found[]> {
  const { items } = dataOf(
    await client.GET('/v1/admin/apps/{appId}/campaigns', { params: { path: { appId }, query: { q, limit: most } }, signal }),
  )
  return items.map(({ id, name, status }) => ({
    label: `${name} (${status})`,
    href: `/apps/${appId}/${status === 'draft' ? 'compose' : 'campaigns'}/${id}`,
  }))
}

async function findPeople(appId: string, q: string, signal: AbortSignal): Promise<Found[]> {
  const { items } = dataOf(
    await client.GET('/v1/admin/apps/{appId}/users', { params: { path: { appId }, query: { q, limit: most } }, signal }),
  )
  return items.map(({ id, externalId }) => ({ label: externalId ?? id, href: `/apps/${appId}/people/${id}` }))
}

/** Gives the text once it has been unchanged for 200 ms; until then, the text before it. */
function useRested(text: string): string {
  const [rested, setRested] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), 200)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
