import { useEffect, useRef, useState } from 'react'
import { useShortcut } from '../../shell/useShortcut.ts'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { statusWords } from '../../core/campaign-result.ts'
import { campaignStatuses, type CampaignsSearch } from '../search.ts'

type Props = { search: CampaignsSearch; onChange: (search: CampaignsSearch, replace?: boolean) => void }

/** Shows the filters of the list of campaigns. The list is filtered by name 300 ms after the last key. */
export function CampaignFilters({ search, onChange }: Props) {
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

  const choose = (value: string) => {
    const { status: _, cursor: __, ...rest } = search
    const status = campaignStatuses.find((one) => one === value)
    onChange(status ? { ...rest, status } : rest)
  }
  return (
    <form
      className="grid max-w-xl gap-3 sm:grid-cols-[2fr_1fr]"
      role="search"
      aria-label="Filter the list"
      onSubmit={(event) => event.preventDefault()}
    >
      <Field label="Name begins with">
        {(control) => <TextInput {...control} ref={input} value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <Field label="Status">
        {(control) => (
          <Select
            {...control}
            value={search.status ?? ''}
            onChange={(event) => choose(event.target.value)}
            options={[{ value: '', label: 'Any' }, ...campaignStatuses.map((value) => ({ value, label: statusWords[value] }))]}
          />
        )}
      </Field>
    </form>
  )
}
