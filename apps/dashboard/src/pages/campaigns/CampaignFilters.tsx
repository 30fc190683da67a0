import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useShortcut } from '../../shell/useShortcut.ts'
import { Chip } from '../../ui/Chip.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { statusWords } from '../../core/campaign-result.ts'
import { tidy } from '../../core/search.ts'
import { Select } from '../../ui/Select.tsx'
import { campaignSorts, campaignStatuses, type CampaignsSearch } from '../search.ts'

const times = [
  [undefined, 'Any time'],
  [7, 'Last 7 days'],
  [30, 'Last 30 days'],
] as const

const sorts = [
  { value: '', label: 'Newest first' },
  { value: 'sent', label: 'Most sent' },
  { value: 'failed', label: 'Most failed' },
  { value: 'opened', label: 'Most opened of sent' },
  { value: 'clicked', label: 'Most clicked of sent' },
]

type Props = { search: CampaignsSearch; onChange: (search: CampaignsSearch, replace?: boolean) => void; children?: ReactNode }

/**
 * Shows the filters of the list of campaigns: a part of the name, for which it is searched 300 ms after the last key, a chip for each status and each time, and the
 * order of the page. */
export function CampaignFilters({ search, onChange, children }: Props) {
  const [name, setName] = useState(search.q ?? '')
  const input = useRef<HTMLInputElement>(null)
  useShortcut('/', () => input.current?.focus(), 'Filter the list')

  useEffect(() => {
    if (name === (search.q ?? '')) return
    const timer = setTimeout(() => {
      const { q: _, cursor: __, ...rest } = search
      onChange(name === '' ? rest : { ...rest, q: name }, true)
    }, 300)
    return () => clearTimeout(timer)
  }, [name, search, onChange])

  const choose = (status: CampaignsSearch['status']) => {
    const { status: _, cursor: __, ...rest } = search
    onChange(status === undefined || status === search.status ? rest : { ...rest, status })
  }
  return (
    <form className="flex flex-col gap-3" role="search" aria-label="Filter the list" onSubmit={(event) => event.preventDefault()}>
      <div className="flex flex-wrap items-center gap-2">
        <TextInput
          ref={input}
          type="search"
          aria-label="Name contains"
          placeholder="Name contains"
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
          className="max-w-xs"
        />
        {children}
      </div>
      <div role="group" aria-label="Status" className="flex flex-wrap gap-1.5">
        <Chip on={search.status === undefined} onClick={() => choose(undefined)}>
          All
        </Chip>
        {campaignStatuses.map((status) => (
          <Chip key={status} on={search.status === status} onClick={() => choose(status)}>
            {statusWords[status]}
          </Chip>
        ))}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div role="group" aria-label="Made" className="flex flex-wrap gap-1.5">
          {times.map(([days, words]) => (
            <Chip key={words} on={search.days === days} onClick={() => onChange(tidy({ ...search, days, cursor: undefined }))}>
              {words}
            </Chip>
          ))}
        </div>
        <label className="flex items-center gap-2 text-sm text-muted">
          Order of this page
          <Select
            options={sorts}
            value={search.sort ?? ''}
            onChange={({ target }) => onChange(tidy({ ...search, sort: campaignSorts.find((sort) => sort === target.value) }))}
          />
        </label>
      </div>
    </form>
  )
}
