import type { FaultDetail } from '@herald/contracts/fault'
import { useState } from 'react'
import { api, client } from '../../api/client.ts'
import type { AudienceDraft } from '../../core/campaign-draft.ts'
import { Choice } from '../../ui/Choice.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import { SegmentBuilder } from '../../ui/segment/SegmentBuilder.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import type { EstimateTarget } from '../../ui/segment/Estimate.tsx'

const options = [
  { value: 'everyone', label: 'Everyone', hint: 'All reachable devices' },
  { value: 'saved', label: 'A saved segment', hint: 'Conditions are fixed when you send or schedule; members until it goes out' },
  { value: 'own', label: 'Conditions', hint: 'Only for this message' },
] as const

/** Lets the operator choose the audience of a message. Switching to another option and back keeps what was entered. */
export function AudienceAsk({
  appId,
  value,
  onChange,
  details,
}: {
  appId: string
  value: AudienceDraft
  onChange: (audience: AudienceDraft) => void
  details: readonly FaultDetail[]
}) {
  const [before, setBefore] = useState<Partial<Record<AudienceDraft['kind'], AudienceDraft>>>({})
  const choose = (kind: AudienceDraft['kind']) => {
    setBefore({ ...before, [value.kind]: value })
    const empty =
      kind === 'everyone' ? ({ kind } as const) : kind === 'own' ? ({ kind, segment: {} } as const) : ({ kind, segmentId: '' } as const)
    onChange(before[kind] ?? empty)
  }
  return (
    <div className="flex flex-col gap-4">
      <Choice legend={<span className="sr-only">Audience</span>} value={value.kind} onChange={choose} options={options} />
      {value.kind === 'saved' && (
        <SavedSegment
          appId={appId}
          segmentId={value.segmentId}
          onChange={(segmentId) => onChange({ kind: 'saved', segmentId })}
          error={details.find(({ path }) => path === 'segmentId')?.message}
        />
      )}
      {value.kind === 'own' && (
        <SegmentBuilder
          appId={appId}
          value={value.segment}
          onChange={(segment) => onChange({ kind: 'own', segment })}
          details={details.filter(({ path }) => path !== 'segmentId')}
        />
      )}
    </div>
  )
}

function SavedSegment({
  appId,
  segmentId,
  onChange,
  error,
}: {
  appId: string
  segmentId: string
  onChange: (segmentId: string) => void
  error: string | undefined
}) {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/segments/{id}',
    { params: { path: { appId, id: segmentId } } },
    { enabled: segmentId !== '', staleTime: 30_000, retry: false },
  )
  const load = async (q: string, signal: AbortSignal) => {
    const query = q.trim() === '' ? { limit: 50 } : { q: q.trim(), limit: 50 }
    const { data: found } = await client.GET('/v1/admin/apps/{appId}/segments', { params: { path: { appId }, query }, signal })
    return found?.items.map(({ id, name, description }) => ({ value: id, label: name, hint: description ?? undefined })) ?? []
  }
  return (
    <Field
      label="Segment"
      error={error}
      hint={
        segmentId === '' ? undefined : (
          <TextLink to="/apps/$appId/segments/$segmentId" params={{ appId, segmentId }}>
            View conditions
          </TextLink>
        )
      }
    >
      {({ id }) => (
        <Combobox
          id={id}
          label="Segment"
          value={segmentId === '' ? undefined : segmentId}
          valueLabel={data?.name}
          load={load}
          onChange={onChange}
          placeholder="Choose a segment"
        />
      )}
    </Field>
  )
}

/** Gives the target with which the devices of an audience are counted. While no saved segment is chosen, everyone is counted. */
export function targetOf(audience: AudienceDraft): EstimateTarget {
  if (audience.kind === 'own') return { segment: audience.segment }
  return audience.kind === 'saved' && audience.segmentId !== '' ? { segmentId: audience.segmentId } : { all: true }
}
