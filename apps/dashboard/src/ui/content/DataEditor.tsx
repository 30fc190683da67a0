import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../Button.tsx'
import { TextInput } from '../TextInput.tsx'

type Row = { key: string; value: string }

/** Lets the operator edit the data that the mobile app gets with the message: names and values that no user sees. */
export function DataEditor({
  rows,
  onChange,
  errorAt,
  note,
}: {
  rows: readonly Row[]
  onChange: (rows: readonly Row[]) => void
  /** Gives the mistake at a path such as `data` or `data.<key>`. */
  errorAt: (path: string) => string | undefined
  note?: ReactNode
}) {
  const change = (place: number, changed: Partial<Row>) => onChange(rows.map((row, at) => (at === place ? { ...row, ...changed } : row)))
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <legend className="float-left font-medium">Custom data (key-value pairs)</legend>
        {note}
      </div>
      {rows.map((row, place) => {
        const error = errorAt(`data.${row.key}`)
        return (
          <div key={place}>
            <div className="flex gap-2">
              <TextInput
                aria-label={`Name ${place + 1}`}
                placeholder="name"
                value={row.key}
                aria-invalid={error !== undefined || undefined}
                onChange={({ target }) => change(place, { key: target.value })}
                className="max-w-40"
              />
              <TextInput
                aria-label={`Value ${place + 1}`}
                placeholder="value"
                value={row.value}
                onChange={({ target }) => change(place, { value: target.value })}
              />
              <Button
                variant="quiet"
                aria-label={`Remove ${row.key === '' ? `row ${place + 1}` : row.key}`}
                onClick={() => onChange(rows.filter((_, at) => at !== place))}
              >
                <X size={14} aria-hidden />
              </Button>
            </div>
            {error !== undefined && <p className="text-sm text-bad">{error}</p>}
          </div>
        )
      })}
      {errorAt('data') !== undefined && <p className="text-sm text-bad">{errorAt('data')}</p>}
      <div>
        <Button small icon={<Plus size={14} aria-hidden />} onClick={() => onChange([...rows, { key: '', value: '' }])}>
          Add a pair
        </Button>
      </div>
    </fieldset>
  )
}
