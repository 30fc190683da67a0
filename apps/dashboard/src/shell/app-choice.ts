import { client, dataOf } from '../api/client.ts'
import type { components } from '../api/schema.gen.ts'
import { preferences } from './preferences.ts'

type AppRead = components['schemas']['AppRead']

/**
 * Finds up to 50 apps whose name begins with `query`. Without a query it gives the first 50 apps of the list, and before them up to five apps that
 * were last opened in this browser.
 */
export async function findApps(query: string, signal: AbortSignal): Promise<AppRead[]> {
  const asked = query.trim()
  const { items } = dataOf(
    await client.GET('/v1/admin/apps', { params: { query: { limit: 50, ...(asked === '' ? {} : { q: asked }) } }, signal }),
  )
  if (asked !== '') return items
  const readKnown = async (id: string): Promise<AppRead | undefined> => items.find((app) => app.id === id) ?? readApp(id, signal)
  const last = await Promise.all(preferences().lastApps.map((id) => readKnown(id)))
  const first = last.filter((app) => app !== undefined)
  return [...first, ...items.filter((app) => !first.some(({ id }) => id === app.id))]
}

/** Reads an app that was opened earlier. Gives undefined when that fails, for instance because the app was deleted. */
const readApp = (appId: string, signal: AbortSignal): Promise<AppRead | undefined> =>
  client.GET('/v1/admin/apps/{appId}', { params: { path: { appId } }, signal }).then(
    ({ data }) => data,
    () => undefined,
  )
