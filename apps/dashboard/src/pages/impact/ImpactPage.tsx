import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, client, dataOf } from '../../api/client.ts'
import { sumConversions, sumsText, type ConversionRow } from '../../core/conversion-rows.ts'
import { countText } from '../../core/number.ts'
import { useApp, useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { UpliftView } from '../../ui/impact/UpliftView.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/Section.tsx'
import { Select } from '../../ui/Select.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { Time } from '../../ui/Time.tsx'

/** How many of the newest campaigns are added up. */
const newest = 100

/** Shows what people did after pushes, and what pushes caused, as far as the hold-out shows it. */
export function ImpactPage() {
  const appId = useAppId()
  const { data: app } = useApp()
  const campaigns = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns',
    { params: { path: { appId }, query: { limit: newest } } },
    { refetchInterval: 60_000 },
  )
  const rows = sumConversions(campaigns.data?.items.map(({ stats }) => stats.conversions) ?? [])
  const holdout = app?.settings.holdout ?? null
  return (
    <Page title="Impact" lead="What people did after your pushes, and what your pushes caused." guide="conversions">
      <Section title="Conversions">
        <Loaded
          query={campaigns}
          isEmpty={() => rows.length === 0}
          empty={
            <Empty title={`No conversions of your last ${newest} sends`}>
              Your backend reports what people do, such as an order, and Herald says which push came before it. The guide shows how.
            </Empty>
          }
        >
          {({ items }) => (
            <>
              <Totals rows={rows} />
              <p className="text-sm text-muted">
                Attributed to your last {countText(items.length)} sends, those of your backend included. Each campaign’s page shows unique
                users and the variants of an A/B test.
              </p>
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Control group">
        {app && holdout === null && (
          <Empty
            title="No control group yet"
            action={
              <ButtonLink needed="settings" to="/apps/$appId/settings" params={{ appId }}>
                Set up a control group
              </ButtonLink>
            }
          >
            Exclude some people from all campaigns, and compare their conversion rate with that of everybody else: the uplift of your
            pushes.
          </Empty>
        )}
        {holdout !== null && <Holdout holdout={holdout} names={rows.map(({ name }) => name)} />}
      </Section>
    </Page>
  )
}

const Totals = ({ rows }: { rows: ConversionRow[] }) => (
  <Table<ConversionRow>
    caption="Conversions"
    rows={rows}
    rowKey={({ name }) => name}
    columns={[
      { key: 'name', label: 'Conversion event', cell: ({ name }) => <span className="break-all">{name}</span> },
      { key: 'count', label: 'Conversions', align: 'right', cell: ({ count }) => countText(count) },
      { key: 'direct', label: 'Direct', align: 'right', cell: ({ direct }) => countText(direct) },
      { key: 'influenced', label: 'Influenced', align: 'right', cell: ({ influenced }) => countText(influenced) },
      { key: 'value', label: 'Value', align: 'right', cell: ({ value }) => sumsText(value) || '–' },
    ]}
  />
)

function Holdout({ holdout, names }: { holdout: { percent: number; since: string }; names: readonly string[] }) {
  const appId = useAppId()
  const navigate = useNavigate({ from: '/apps/$appId/impact' })
  const search = useSearch({ from: '/apps/$appId/impact' })
  const conversion = search.conversion ?? names[0] ?? ''
  const [typed, setTyped] = useState(conversion)
  const day = search.from === undefined ? undefined : new Date(`${search.from}T00:00`).toISOString()
  // What was before the hold-out cannot be asked for.
  const from = day !== undefined && day > holdout.since ? day : undefined
  const { data, error, refetch, isFetching } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/holdout/uplift',
    { params: { path: { appId }, query: { conversion, ...(from === undefined ? {} : { from }) } } },
    { enabled: conversion !== '', retry: false },
  )
  const put = (changed: typeof search) => void navigate({ search: { ...search, ...changed }, replace: true })
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          {holdout.percent} % of people get no campaign, since <Time at={holdout.since} />
        </span>
        <Redraw />
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48">
          <Field label="Conversion event">
            {(control) =>
              names.length > 0 ? (
                <Select
                  {...control}
                  value={conversion}
                  onChange={({ target }) => put({ conversion: target.value })}
                  options={[...new Set([conversion, ...names])].map((name) => ({ value: name, label: name }))}
                />
              ) : (
                <TextInput
                  {...control}
                  value={typed}
                  placeholder="order"
                  onChange={({ target }) => setTyped(target.value)}
                  onBlur={() => put({ conversion: typed.trim() || undefined })}
                />
              )
            }
          </Field>
        </div>
        <Field label="From" hint="Empty: since the control group began">
          {(control) => (
            <TextInput
              {...control}
              type="date"
              value={search.from ?? ''}
              onChange={({ target }) => put({ from: target.value === '' ? undefined : target.value })}
            />
          )}
        </Field>
      </div>
      {conversion === '' && <p className="text-muted">Enter a conversion event that your backend reports.</p>}
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
      {isFetching && !data && <p role="status">Counting people</p>}
      {data && !error && <UpliftView uplift={data} />}
    </div>
  )
}

/** A button that holds out other people from now on. */
function Redraw() {
  const appId = useAppId()
  const { refetch } = useApp()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button needed="settings" small onClick={() => setOpen(true)}>
        Reset the control group
      </Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title="Reset the control group?"
        action="Reset the control group"
        onConfirm={async () => {
          dataOf(await client.POST('/v1/admin/apps/{appId}/holdout/redraw', { params: { path: { appId } } }))
          await refetch()
          announce('Control group reset')
        }}
      >
        A new random group of the same size gets no campaigns from now on, in place of the current one. Measurement starts over.
      </Confirm>
    </>
  )
}
