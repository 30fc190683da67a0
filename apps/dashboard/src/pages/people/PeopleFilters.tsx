import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { api, client } from '../../api/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { FilterChip } from '../../ui/Chip.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import type { PeopleSearch } from '../search.ts'

type Filters = Pick<PeopleSearch, 'q' | 'segmentId' | 'tag' | 'tagValue'>

/** The filters of the list of people: a saved segment, or a tag and perhaps its value. Each that is on is a chip that takes it off. */
export function PeopleFilters({ appId, search: { q, segmentId, tag, tagValue } }: { appId: string; search: Filters }) {
  const navigate = useNavigate({ from: '/apps/$appId/people' })
  const put = (filters: Filters) => void navigate({ search: { q, ...filters } })
  const { data: segment } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/segments/{id}',
    { params: { path: { appId, id: segmentId ?? '' } } },
    { enabled: segmentId !== undefined, staleTime: 30_000, retry: false },
  )
  if (segmentId !== undefined)
    return (
      <div>
        <FilterChip label={`Segment: ${segment?.name ?? segmentId}`} onRemove={() => put({})} />
      </div>
    )
  if (tag !== undefined)
    return (
      <div>
        <FilterChip label={tagValue === undefined ? `Tag ${tag}` : `${tag} is ${tagValue}`} onRemove={() => put({})} />
      </div>
    )
  const loadSegments = async (typed: string, signal: AbortSignal) => {
    const query = typed.trim() === '' ? { limit: 50 } : { q: typed.trim(), limit: 50 }
    const { data } = await client.GET('/v1/admin/apps/{appId}/segments', { params: { path: { appId }, query }, signal })
    return data?.items.map(({ id, name, description }) => ({ value: id, label: name, hint: description ?? undefined })) ?? []
  }
  const loadTags = async (typed: string, signal: AbortSignal) => {
    const query = typed.trim() === '' ? { limit: 50 } : { q: typed.trim(), limit: 50 }
    const { data } = await client.GET('/v1/admin/apps/{appId}/tags', { params: { path: { appId }, query }, signal })
    return data?.items.map(({ name, values }) => ({ value: name, label: name, hint: values.slice(0, 3).join(', ') })) ?? []
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="w-52">
        <Combobox
          label="In a segment"
          placeholder="In a segment"
          value={undefined}
          load={loadSegments}
          onChange={(id) => put({ segmentId: id })}
        />
      </div>
      <ByTag load={loadTags} onTag={put} />
    </div>
  )
}

function ByTag({
  load,
  onTag,
}: {
  load: (typed: string, signal: AbortSignal) => Promise<{ value: string; label: string; hint?: string | undefined }[]>
  onTag: (filters: Filters) => void
}) {
  const [name, setName] = useState<string>()
  const [value, setValue] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name !== undefined) onTag({ tag: name, ...(value === '' ? {} : { tagValue: value }) })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-2">
      <div className="w-52">
        <Combobox label="With a tag" placeholder="With a tag" value={name} valueLabel={name} load={load} onChange={setName} />
      </div>
      {name !== undefined && (
        <>
          <TextInput
            aria-label={`Value of ${name}`}
            placeholder="Any value"
            value={value}
            maxLength={256}
            onChange={({ target }) => setValue(target.value)}
            className="w-40"
          />
          <Button type="submit">Filter</Button>
        </>
      )}
    </form>
  )
}
