import { platformNames } from '@herald/contracts/platform'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { announce } from '../Announcer.tsx'
import { Combobox } from '../Combobox.tsx'
import { ErrorNote } from '../ErrorNote.tsx'

/** Lets the operator mark a device as a test device: find a user by the beginning of an external id, and choose one of the user's devices. */
export function AddTestDevice({ appId }: { appId: string }) {
  const queries = useQueryClient()
  const [error, setError] = useState<unknown>()
  const load = async (q: string, signal: AbortSignal) => {
    const query = q.trim() === '' ? { limit: 8 } : { q: q.trim(), limit: 8 }
    const { data } = await client.GET('/v1/admin/apps/{appId}/users', { params: { path: { appId }, query }, signal })
    const people = await Promise.all(
      (data?.items ?? []).map(({ id }) => client.GET('/v1/admin/apps/{appId}/users/{id}', { params: { path: { appId, id } }, signal })),
    )
    return people.flatMap(({ data: person }) =>
      (person?.subscriptions ?? [])
        .filter((device) => device.invalidatedAt === null)
        .map((device) => ({
          value: device.id,
          label: `${person?.externalId ?? person?.id ?? ''}, ${platformNames[device.platform]}`,
          hint: device.test ? 'is one already' : (device.deviceModel ?? device.browser ?? undefined),
        })),
    )
  }
  const add = async (id: string) => {
    setError(undefined)
    try {
      await client.PATCH('/v1/admin/apps/{appId}/subscriptions/{id}', { params: { path: { appId, id } }, body: { test: true } })
      announce('It is a test device now.')
      await queries.invalidateQueries({ queryKey: ['test-devices', appId] })
    } catch (fault) {
      setError(fault)
    }
  }
  return (
    <div className="flex w-64 max-w-full flex-col gap-2">
      <Combobox label="Add a test device" placeholder="Add a test device" value={undefined} load={load} onChange={(id) => void add(id)} />
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  )
}
