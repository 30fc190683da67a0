import { conversionRows, sumsText, type ConversionRow } from '../../core/conversion-rows.ts'
import { countText } from '../../core/number.ts'
import { Section } from '../../ui/Section.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Campaign, Reading } from './useSend.ts'

type Row = ConversionRow & { variant: string | null }

/** Shows what users did that is attributed to the send, such as orders: how often, by how many users and for how much; of an experiment also by variant. */
export function Conversions({ campaign: { experiment }, reading: { stats } }: { campaign: Campaign; reading: Reading }) {
  const rows: Row[] = conversionRows(stats.conversions).flatMap((row) => [
    { ...row, variant: null },
    ...(experiment?.variants ?? []).flatMap(({ id, name }) =>
      conversionRows(stats.variants?.[id]?.conversions)
        .filter((one) => one.name === row.name)
        .map((one) => ({ ...one, variant: name })),
    ),
  ])
  return (
    <Section title="Conversions">
      <Table<Row>
        caption="Conversions"
        rows={rows}
        rowKey={({ name, variant }) => `${name} ${variant}`}
        columns={[
          {
            key: 'name',
            label: 'What',
            cell: ({ name, variant }) =>
              variant === null ? <strong className="break-all">{name}</strong> : <span className="pl-4 text-muted">Variant {variant}</span>,
          },
          { key: 'count', label: 'Conversions', align: 'right', cell: ({ count }) => countText(count) },
          { key: 'direct', label: 'After an open', align: 'right', cell: ({ direct }) => countText(direct) },
          { key: 'influenced', label: 'After the push', align: 'right', cell: ({ influenced }) => countText(influenced) },
          { key: 'users', label: 'Users', align: 'right', cell: ({ users }) => countText(users) },
          { key: 'value', label: 'Value', align: 'right', cell: ({ value }) => sumsText(value) || '–' },
        ]}
      />
      <p className="mt-3 text-sm text-muted">
        Each is attributed to the last push that the user opened or got before it. How long before is in the settings. Attribution says what
        came after a push, not what the push caused.
      </p>
    </Section>
  )
}
