import { platformNames, platforms } from '@herald/contracts/platform'
import { useEffect, useRef, useState } from 'react'
import { remedies } from '@herald/contracts/code-meanings'
import { client } from '../../api/client.ts'
import { nameOfSend } from '../../core/send-name.ts'
import { useShortcut } from '../../shell/useShortcut.ts'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { logOutcomes, logReports, type LogSearch } from '../search.ts'
import { fromLocalInput, toLocalInput } from '../../core/local-input.ts'

type Props = { appId: string; search: LogSearch; nameOf: (campaignId: string) => string; onChange: (search: LogSearch) => void }
const any = { value: '', label: 'Any' }
const outcomeLabels = { open: 'Waiting', sent: 'Sent', failed: 'Failed', skipped: 'Skipped' }

/** Shows the filters of the log. The filters are in the address, so that a link shows a colleague the same pushes. */
export function LogFilters({ appId, search, nameOf, onChange }: Props) {
  const first = useRef<HTMLSelectElement>(null)
  useShortcut('/', () => first.current?.focus(), 'Filter the log')
  const set = (change: { [Name in keyof LogSearch]?: LogSearch[Name] | undefined }) =>
    onChange(Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined)))
  const { live, ...filters } = search
  const loadCampaigns = async (q: string, signal: AbortSignal) => {
    const query = { limit: 20, ...(q.trim() === '' ? {} : { q: q.trim() }) }
    const { data } = await client.GET('/v1/admin/apps/{appId}/campaigns', { params: { path: { appId }, query }, signal })
    return [any, ...(data?.items.map((campaign) => ({ value: campaign.id, label: nameOfSend(campaign) })) ?? [])]
  }
  return (
    <form
      className="grid grid-cols-[repeat(auto-fill,minmax(11.5rem,1fr))] items-start gap-3"
      role="search"
      aria-label="Filter the log"
      onSubmit={(event) => event.preventDefault()}
    >
      <Field label="Outcome">
        {(control) => (
          <Select
            {...control}
            ref={first}
            value={search.outcome ?? ''}
            onChange={(event) => set({ outcome: logOutcomes.find((one) => one === event.target.value) })}
            options={[any, ...logOutcomes.map((value) => ({ value, label: outcomeLabels[value] }))]}
          />
        )}
      </Field>
      <Field label="Code">
        {(control) => (
          <Select
            {...control}
            value={search.code ?? ''}
            onChange={(event) => set({ code: event.target.value || undefined })}
            options={[any, ...codesWith(search.code).map((value) => ({ value, label: value }))]}
          />
        )}
      </Field>
      <Field label="Platform">
        {(control) => (
          <Select
            {...control}
            value={search.platform ?? ''}
            onChange={(event) => set({ platform: platforms.find((one) => one === event.target.value) })}
            options={[any, ...platforms.map((value) => ({ value, label: platformNames[value] }))]}
          />
        )}
      </Field>
      <Field label="Engagement">
        {(control) => (
          <Select
            {...control}
            value={search.reported ?? ''}
            onChange={(event) => set({ reported: logReports.find((one) => one === event.target.value) })}
            options={[any, ...logReports.map((value) => ({ value, label: value }))]}
          />
        )}
      </Field>
      <Field label="Campaign">
        {({ id }) => (
          <Combobox
            id={id}
            label="Campaign"
            value={search.campaignId}
            valueLabel={search.campaignId && nameOf(search.campaignId)}
            placeholder="Any"
            load={loadCampaigns}
            onChange={(campaignId) => set({ campaignId: campaignId === '' ? undefined : campaignId })}
          />
        )}
      </Field>
      <IdField
        key={`s-${search.subscriptionId}`}
        label="Device id"
        value={search.subscriptionId}
        onChange={(subscriptionId) => set({ subscriptionId })}
      />
      <TimeField key={`f-${search.from}`} label="From" value={search.from} onChange={(from) => set({ from })} />
      <TimeField
        key={`t-${search.to}`}
        label="Before"
        value={search.to}
        error={
          search.from !== undefined && search.to !== undefined && search.from >= search.to ? 'This must be later than “From”.' : undefined
        }
        onChange={(to) => set({ to })}
      />
      {Object.keys(filters).length > 0 && (
        <Button variant="quiet" className="self-end justify-self-start" onClick={() => onChange(live ? { live } : {})}>
          Clear filters
        </Button>
      )}
    </form>
  )
}

const codesWith = (code: string | undefined): string[] => {
  const known = Object.keys(remedies)
  return code === undefined || known.includes(code) ? known : [...known, code]
}

type OneField = { label: string; value: string | undefined; error?: string | undefined; onChange: (value: string | undefined) => void }

/** A field for an id, which has 24 hexadecimal characters. */
function IdField({ label, value, onChange }: OneField) {
  const [text, setText] = useState(value ?? '')
  const isId = /^[0-9a-f]{24}$/.test(text)
  const isWrong = text !== '' && !isId
  useEffect(() => {
    if (text !== (value ?? '') && (isId || text === '')) onChange(text === '' ? undefined : text)
    // Only typing changes `text`. When the address changes by other means, React makes a new field.
  }, [text])
  return (
    <Field label={label} error={isWrong && text.length >= 24 ? 'An id has 24 characters, 0 to 9 and a to f.' : undefined}>
      {(control) => (
        <TextInput
          {...control}
          value={text}
          maxLength={64}
          spellCheck={false}

          onChange={(event) => setText(event.target.value.trim().toLowerCase())}
        />
      )}
    </Field>
  )
}

/** A field for a time in the browser's zone; the address contains it in UTC. The address changes when the operator leaves the field. */
function TimeField({ label, value, error, onChange }: OneField) {
  const [text, setText] = useState(toLocalInput(value ?? ''))
  const leave = () => {
    const at = fromLocalInput(text)
    if (at !== value) onChange(at)
  }
  return (
    <Field label={label} error={error}>
      {(control) => (
        <TextInput {...control} type="datetime-local" value={text} onChange={(event) => setText(event.target.value)} onBlur={leave} />
      )}
    </Field>
  )
}
