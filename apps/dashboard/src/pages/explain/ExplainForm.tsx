import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { some } from '../../core/spans.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Combobox, type ComboboxOption } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import type { ExplainSearch } from '../search.ts'

const kinds = [
  { value: 'person', label: 'Search for a person' },
  { value: 'externalId', label: 'Enter an external id' },
  { value: 'userId', label: 'Enter a user id' },
  { value: 'subscriptionId', label: 'Enter a device id' },
] as const
type Kind = (typeof kinds)[number]['value']

/** Asks the operator for the campaign and for the user or device. What the address contains is filled in. */
export function ExplainForm({ search }: { search: ExplainSearch }) {
  const appId = useAppId()
  const navigate = useNavigate({ from: '/apps/$appId/explain' })
  const given = kinds.find(({ value }) => value !== 'person' && search[value] !== undefined)?.value
  const [campaignId, setCampaignId] = useState(search.campaignId)
  const [kind, setKind] = useState<Kind>(given ?? 'person')
  const [whom, setWhom] = useState(given === undefined || given === 'person' ? '' : (search[given] ?? ''))
  const [problems, setProblems] = useState<{ campaign?: string; whom?: string }>({})

  const load = async (q: string, signal: AbortSignal): Promise<ComboboxOption[]> => {
    const query = { limit: 20, ...(q === '' ? {} : { q }) }
    const { items } = dataOf(await client.GET('/v1/admin/apps/{appId}/campaigns', { params: { path: { appId }, query }, signal }))
    return items.map(({ id, name, status }) => ({ value: id, label: name === '' ? id : name, hint: status }))
  }

  const loadPeople = async (q: string, signal: AbortSignal): Promise<ComboboxOption[]> => {
    const query = { limit: 20, ...(q === '' ? {} : { q }) }
    const { items } = dataOf(await client.GET('/v1/admin/apps/{appId}/users', { params: { path: { appId }, query }, signal }))
    return items.map(({ id, externalId, devices: { ios, android, web } }) => ({
      value: id,
      label: externalId ?? `Anonymous, ${id}`,
      hint: some(ios + android + web, 'device', 'devices'),
    }))
  }

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const missing = {
      ...(campaignId === undefined ? { campaign: 'Choose a campaign, or paste its ID.' } : {}),
      ...(whom.trim() === '' ? { whom: kind === 'person' ? 'Choose a person.' : 'Enter an id.' } : {}),
    }
    setProblems(missing)
    if (Object.keys(missing).length === 0) void navigate({ search: { campaignId, [kind === 'person' ? 'userId' : kind]: whom.trim() } })
  }

  return (
    <Card>
      <form onSubmit={submit} className="flex max-w-2xl flex-col gap-4">
        <Field
          label="Campaign"
          error={problems.campaign}
          hint="Search by name. Campaigns sent through the API have no name: paste the ID below."
        >
          {({ id }) => (
            <Combobox id={id} label="Campaign" value={campaignId} onChange={setCampaignId} load={load} placeholder="Choose a campaign" />
          )}
        </Field>
        <Field label="Or paste the campaign ID">
          {(control) => (
            <TextInput
              {...control}
              value={campaignId ?? ''}
              onChange={(event) => setCampaignId(event.target.value.trim() || undefined)}
              placeholder="24 hexadecimal characters"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
        <div className="grid grid-cols-[14rem_minmax(0,1fr)] gap-3 max-[640px]:grid-cols-1">
          <Field label="Recipient">
            {(control) => (
              <Select
                {...control}
                value={kind}
                onChange={(event) => {
                  setKind(kinds.find(({ value }) => value === event.target.value)?.value ?? kind)
                  setWhom('')
                }}
                options={kinds}
              />
            )}
          </Field>
          <Field label={kinds.find(({ value }) => value === kind)?.label ?? ''} error={problems.whom}>
            {(control) =>
              kind === 'person' ? (
                <Combobox
                  id={control.id}
                  label="Person"
                  value={whom === '' ? undefined : whom}
                  onChange={(userId) => {
                    setWhom(userId)
                    // Nothing is left to ask when the campaign is known.
                    if (campaignId !== undefined) void navigate({ search: { campaignId, userId } })
                  }}
                  load={loadPeople}
                  placeholder="Choose a person"
                />
              ) : (
                <TextInput {...control} value={whom} onChange={(event) => setWhom(event.target.value)} spellCheck={false} />
              )
            }
          </Field>
        </div>
        <div>
          <Button type="submit" variant="primary">
            Check delivery
          </Button>
        </div>
      </form>
    </Card>
  )
}
