import { pointsText, upliftVerdict, type Uplift } from '../../core/experiment-words.ts'
import { countText, percentText } from '../../core/number.ts'
import { Status } from '../Status.tsx'
import { Table } from '../Table.tsx'

const kinds = { more: 'good', fewer: 'bad', unknown: 'off' } as const
const labels = { more: 'More', fewer: 'Fewer', unknown: 'Not yet known' } as const

/** Shows what came with pushes and what without them, the difference with its interval, and no more than that says. */
export function UpliftView({ uplift }: { uplift: Uplift }) {
  const { treated, control, difference, low, high, final } = uplift
  const { is, text } = upliftVerdict(uplift)
  const rows = [
    { name: 'Meant to get it', ...treated },
    { name: 'Held out', ...control },
  ]
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Status kind={kinds[is]}>{labels[is]}</Status>
        <span className="min-w-0 flex-1 basis-64">{text}</span>
      </p>
      <Table
        caption="Converted with and without"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { key: 'name', label: 'People', cell: ({ name }) => name },
          { key: 'users', label: 'Users', align: 'right', cell: ({ users }) => countText(users) },
          { key: 'converted', label: 'Converted', align: 'right', cell: ({ converted }) => countText(converted) },
          { key: 'rate', label: 'Share', align: 'right', cell: ({ converted, users }) => percentText(converted, users, 2) },
        ]}
      />
      {control.users > 0 && (
        <p className="tabular-nums">
          Difference {pointsText(difference)}
          <span className="text-muted">
            , 95 % interval {pointsText(low)} to {pointsText(high)}
          </span>
        </p>
      )}
      <p className="text-sm text-muted">
        Everybody who was meant to get it counts, whether the push arrived or not, and every conversion, whether attributed or not.
        {!final && ' The time is not over: conversions may still come.'}
      </p>
    </div>
  )
}
