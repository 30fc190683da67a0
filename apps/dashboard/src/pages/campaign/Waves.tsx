import { api } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { countText } from '../../core/number.ts'
import { Section } from '../../ui/Section.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'

type Wave = components['schemas']['ListWavesOfCampaignAnswer']['items'][number]
const states = {
  waiting: ['off', 'Waiting'],
  running: ['busy', 'Running'],
  done: ['good', 'Done'],
  cancelled: ['off', 'Cancelled'],
} as const

/**
 * Shows the waves of a send: when each begins, its time zones, and how many pushes it has queued. Shows nothing for a send with fewer than two waves.
 */
export function Waves({ appId, campaignId, isFollowed }: { appId: string; campaignId: string; isFollowed: boolean }) {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}/waves',
    { params: { path: { appId, id: campaignId } } },
    { refetchInterval: isFollowed ? 5_000 : false },
  )
  const waves = data?.items ?? []
  if (waves.length < 2) return null
  return (
    <Section title="Time-zone batches">
      <Table<Wave>
        caption="Time-zone batches"
        rows={waves}
        rowKey={({ no }) => String(no)}
        columns={[
          { key: 'no', label: 'No.', cell: ({ no }) => no },
          { key: 'at', label: 'Starts', cell: ({ at }) => <Time at={at} /> },
          { key: 'zones', label: 'Time zones', cell: zonesOf },
          { key: 'state', label: 'State', cell: stateOf },
          { key: 'queued', label: 'Recipients', align: 'right', cell: ({ queued }) => countText(queued) },
        ]}
      />
      <p className="text-muted mt-2">The last batch also reaches users missed earlier, for example because their time zone changed.</p>
    </Section>
  )
}

const stateOf = ({ state, expired }: Wave) =>
  expired ? <Status kind="off">Skipped, its time had passed</Status> : <Status kind={states[state][0]}>{states[state][1]}</Status>

const mostZones = 4
function zonesOf({ zones }: Wave): string {
  if (zones === null) return 'everybody'
  const names = zones.map((zone) => zone ?? 'users without one')
  return names.length > mostZones ? `${names.slice(0, mostZones).join(', ')} and ${names.length - mostZones} more` : names.join(', ')
}
