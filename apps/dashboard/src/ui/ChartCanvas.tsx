import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { axisTimes } from '../core/time.ts'
import { dashesOf, lonePlaces, spanOfTimes } from '../core/chart-lines.ts'

export type ChartSeries = {
  label: string
  values: readonly number[]
  /** A CSS colour, or the name of a variable in styles.css such as `--series-1`. */
  colour: string
}

type Props = {
  x: readonly number[]
  series: readonly ChartSeries[]
  height: number
  inUtc: boolean
  onPoint: (index: number | null) => void
}

/** Draws a chart with uPlot on a canvas, and follows changes of its size, its values and the theme. uPlot is loaded only on pages with a chart. */
export function ChartCanvas({ x, series, height, inUtc, onPoint }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const labels = series.map(({ label, colour }) => `${label}:${colour}`).join()
  const data: Lines = [[...x], ...series.map(({ values }) => [...values])]
  const latest = useRef(data)
  latest.current = data

  useEffect(() => {
    const element = host.current
    if (!element) return
    const draw = () => {
      plot.current?.destroy()
      plot.current = new uPlot(
        optionsOf(element, () => latest.current, { series, height, inUtc, onPoint }),
        latest.current,
        element,
      )
    }
    draw()
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    // A canvas keeps the colours that it was drawn with, so a change of the theme needs a new drawing.
    const themes = new MutationObserver(draw)
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['class', 'data-theme'] })
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    return () => {
      sizes.disconnect()
      themes.disconnect()
      scheme.removeEventListener('change', draw)
      plot.current?.destroy()
      plot.current = null
    }
    // For new values alone no new plot is made: `setData` below shows them.
  }, [labels, height, onPoint])

  const shape = JSON.stringify(data)
  useEffect(() => {
    plot.current?.setData(latest.current)
  }, [shape])

  // The element has its height before the chart is drawn, so that nothing below it moves.
  return <div ref={host} style={{ height }} className="w-full min-w-0 overflow-hidden" aria-hidden="true" />
}

/** The times of a chart, and then the values of each line. */
type Lines = [number[], ...number[][]]

/** Gives the options of a plot. `linesNow` gives what it shows, because new values come without new options. */
function optionsOf(element: HTMLElement, linesNow: () => Lines, { series, height, inUtc, onPoint }: Omit<Props, 'x'>): uPlot.Options {
  const colourOf = (name: string) =>
    name.startsWith('--') ? getComputedStyle(element).getPropertyValue(name).trim() || 'currentColor' : name
  const { color: text } = getComputedStyle(element)
  const grid = { stroke: `color-mix(in srgb, ${text} 10%, transparent)`, width: 1 }
  const axis = { stroke: text, grid, ticks: grid, font: '12px system-ui, sans-serif' }
  return {
    width: Math.max(element.clientWidth, 1),
    height,
    legend: { show: false },
    // Values of UTC days are shown at their dates in UTC, whatever the browser's time zone is.
    tzDate: (seconds) => (inUtc ? uPlot.tzDate(new Date(seconds * 1_000), 'UTC') : new Date(seconds * 1_000)),
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: {
      x: {
        range: () => {
          const [times, ...lines] = linesNow()
          return spanOfTimes(times, lines)
        },
      },
      y: { range: (_, __, high) => [0, Math.max(high * 1.08, 1)] },
    },
    axes: [
      { ...axis, values: (_, splits, __, ___, step) => axisTimes(splits, step, inUtc ? 'UTC' : undefined) },
      { ...axis, size: 56, values: (_, splits) => splits.map((split) => (Number.isInteger(split) ? split.toLocaleString('en-US') : '')) },
    ],
    series: [
      {},
      ...series.map(({ label, colour }, index) => ({
        label,
        stroke: colourOf(colour),
        width: 2,
        dash: dashesOf(index),
        points: { filter: () => lonePlaces(linesNow()[index + 1] ?? []) },
      })),
    ],
  }
}
