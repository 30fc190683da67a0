import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useShortcut } from '../../shell/useShortcut.ts'
import { Chip } from '../../ui/Chip.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { statusWords } from '../../core/campaign-result.ts'
import { campaignStatuses, type CampaignsSearch } from '../search.ts'

type Props = { search: CampaignsSearch; onChange: (search: CampaignsSearch, replace?: boolean) => void; children?: ReactNode }

/** Shows the filters of the list of campaigns: a part of the name, for which it is searched 300 ms after the last key, and a chip for each status. */
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
    </form>
  )
}
