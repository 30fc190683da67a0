import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { usePages } from '../../api/usePages.ts'
import { mergePushes } from '../../core/inbox.ts'
import { useStream } from '../../live/useStream.ts'

export type SimulatedDevice = components['schemas']['ListSimulatedDevicesAnswer']['items'][number]
export type SimulatedPush = components['schemas']['ListSimulatedPushesAnswer']['items'][number]

export const devicesKey = (appId: string): readonly unknown[] => ['simulator-devices', appId]

/** Reads the virtual devices of an app and their pushes, and follows new pushes. */
export function useInbox(appId: string) {
  const cache = useQueryClient()
  const [arrived, setArrived] = useState<{ appId: string; pushes: SimulatedPush[] }>({ appId, pushes: [] })
  const [dropped, setDropped] = useState(0)
  const read = { params: { query: { appId, limit: 200 } } } as const
  const listed = api.useQuery('get', '/v1/admin/simulator/pushes', read)
  const devices = usePages<SimulatedDevice>(devicesKey(appId), async (cursor, signal) =>
    dataOf(
      await client.GET('/v1/admin/simulator/devices', {
        params: { query: { appId, limit: 50, ...(cursor !== undefined && { cursor }) } },
        signal,
      }),
    ),
  )
  const readAgain = () => void cache.invalidateQueries({ queryKey: api.queryOptions('get', '/v1/admin/simulator/pushes', read).queryKey })
  const stream = useStream(
    `/v1/admin/simulator/stream?appId=${encodeURIComponent(appId)}`,
    {
      // A new stream does not bring the pushes from before it was opened, so the list is read again.
      watching: readAgain,
      push: (data) =>
        setArrived((known) => ({ appId, pushes: mergePushes(known.appId === appId ? known.pushes : [], [data as SimulatedPush]) })),
      dropped: (data) => setDropped((count) => count + (data as { dropped: number }).dropped),
      waiting: () => undefined,
    },
    readAgain,
  )
  const streamed = arrived.appId === appId ? arrived.pushes : []
  return { devices, pushes: mergePushes(listed.data?.items ?? [], streamed), stream, dropped }
}
