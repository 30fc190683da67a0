import { lazy, Suspense, useId, useState } from 'react'
import { dashesOf } from '../core/chart-lines.ts'
import { localTime } from '../core/time.ts'
import type { ChartSeries } from './ChartCanvas.tsx'

type Props = {
  name: string
  /** What the chart shows, in a sentence below its name. A screen reader reads the sentence, and not the canvas. */
  summary: string
  unit: string
  /** The times of the values in seconds since 1970, ascending. */
  x: readonly number[]
  series: readonly ChartSeries[]
  height?: number
  /** Writes a time for the table and for the value under the mouse. */
  moment?: (seconds: number) => string
  /** Whether each value belongs to a day in UTC. */
  inUtc?: boolean
}

const Canvas = lazy(async () => ({ default: (await import('./ChartCanvas.tsx')).ChartCanvas }))
const inWords = (seconds: number) => localTime(seconds * 1_000)

/** A chart of values over time, with a name and a summary in words. A button shows the same values as a table. */
export function Chart({ name, summary, unit, x, series, height = 220, moment = inWords, inUtc = false }: Props) {
  const [asTable, setAsTable] = useState(false)
  const [index, setIndex] = useState<number | null>(null)
  const id = useId()
  const at = index === null ? undefined : x[index]
  return (
    <figure aria-labelledby={`${id}-name`} className="m-0 min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <span className="min-w-0 flex-1">
          <span id={`${id}-name`} className="block font-medium">
            {name}
          </span>
          <span className="text-muted block">{summary}</span>
        </span>
        <button type="button" className="min-h-6 shrink-0 px-1 underline underline-offset-2" onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Show as a chart' : 'Show as a table'}
        </button>
      </figcaption>
      {asTable ? (
        <ChartTable name={name} x={x} series={series} unit={unit} moment={moment} />
      ) : (
        <>
          <Suspense fallback={<ChartSpace height={height} />}>
            <Canvas x={x} series={series} height={height} inUtc={inUtc} onPoint={setIndex} />
          </Suspense>
          <ul className="mt-2 flex list-none flex-wrap gap-x-4 gap-y-1 p-0">
            {series.map(({ label, colour, values }, place) => (
              <li key={label} className="flex items-center gap-2 tabular-nums">
                <Line colour={colour} place={place} />
                {label}
                {index !== null && at !== undefined && <strong>{(values[index] ?? 0).toLocaleString('en-US')}</strong>}
              </li>
            ))}
            <li className="text-muted ml-auto">{at === undefined ? unit : moment(at)}</li>
          </ul>
        </>
      )}
    </figure>
  )
}

/** Draws the sample of a line in the legend, with its colour and its dashes. */
function Line({ colour, place }: { colour: string; place: number }) {
  return (
    <svg width="24" height="8" aria-hidden="true">
      <line
        x1="0"
        y1="4"
        x2="24"
        y2="4"
        strokeWidth="2"
        strokeDasharray={dashesOf(place).join(' ')}
        style={{ stroke: colour.startsWith('--') ? `var(${colour})` : colour }}
      />
    </svg>
  )
}

const ChartSpace = ({ height }: { height: number }) => <div data-skeleton style={{ height }} aria-hidden="true" />

function ChartTable({ name, x, series, unit, moment }: Required<Pick<Props, 'name' | 'x' | 'series' | 'unit' | 'moment'>>) {
  return (
    <div className="max-h-80 overflow-auto" tabIndex={0} role="region" aria-label={`${name} as a table`}>
      <table className="w-full border-collapse tabular-nums">
        <caption className="sr-only">
          {name}, in {unit}
        </caption>
        <thead>
          <tr>
            <th scope="col" className="py-1 pr-4 text-left">
              When
            </th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="py-1 pl-4 text-right">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {x.map((seconds, row) => (
            <tr key={seconds} className="border-line border-t">
              <th scope="row" className="py-1 pr-4 text-left font-normal">
                {moment(seconds)}
              </th>
              {series.map(({ label, values }) => (
                <td key={label} className="py-1 pl-4 text-right">
                  {(values[row] ?? 0).toLocaleString('en-US')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
