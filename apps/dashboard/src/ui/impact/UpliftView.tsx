import { pointsText, upliftVerdict, type Uplift } from '../../core/experiment-words.ts'
import { countText, percentText } from '../../core/number.ts'
import { Status } from '../Status.tsx'
import { Table } from '../Table.tsx'
import { Time } from '../Time.tsx'

const kinds = { more: 'good', fewer: 'bad', unknown: 'off' } as const
const labels = { more: 'Positive', fewer: 'Negative', unknown: 'Not significant yet' } as const

/** For so long after its start a campaign's conversions are counted, as the API does when it is not told a window. */
const weekMs = 7 * 86_400_000

/** Shows what came with pushes and what without them, the difference with its interval, and no more than that says. */
export function UpliftView({ uplift, startedAt = null }: { uplift: Uplift; startedAt?: string | null }) {
  const { treated, control, difference, low, high, final } = uplift
  const { is, text } = upliftVerdict(uplift)
  const rows = [
    { name: 'Treatment group', ...treated },
    { name: 'Control group', ...control },
  ]
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Status kind={kinds[is]}>{labels[is]}</Status>
        <span className="min-w-0 flex-1 basis-64">{text}</span>
      </p>
      <Table
        caption="Conversions by group"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { key: 'name', label: 'Group', cell: ({ name }) => name },
          { key: 'users', label: 'Users', align: 'right', cell: ({ users }) => countText(users) },
          { key: 'converted', label: 'Converted', align: 'right', cell: ({ converted }) => countText(converted) },
          { key: 'rate', label: 'Conversion rate', align: 'right', cell: ({ converted, users }) => percentText(converted, users, 2) },
        ]}
      />
      {control.users > 0 && (
        <p className="tabular-nums">
          Difference {pointsText(difference)}
          <span className="text-muted">
            , 95 % confidence interval {pointsText(low)} to {pointsText(high)}
          </span>
        </p>
      )}
      <p className="text-sm text-muted">
        Counts all targeted users, whether they got the push or not, and all their conversions, attributed or not.
        {startedAt !== null && (
          <>
            {' '}
            The conversion window is 7 days and {final ? 'ended' : 'ends'} <Time at={Date.parse(startedAt) + weekMs} />.
          </>
        )}
      </p>
    </div>
  )
}
