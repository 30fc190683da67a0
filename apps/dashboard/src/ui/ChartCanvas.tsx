import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { dashesOf } from '../core/chart-lines.ts'
import type { ChartSeries } from './Chart.tsx'

/** How many seconds a chart shows before and after its only moment. */
const aroundSeconds = 600

type Props = {
  x: readonly number[]
  series: readonly ChartSeries[]
  height: number
  inUtc: boolean
  onPoint: (index: number | null) => void
}

/** The drawing of a chart: uPlot on a canvas, loaded only where a chart is shown. It draws anew when its size, its values or the theme change. */
export function ChartCanvas({ x, series, height, inUtc, onPoint }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const labels = series.map(({ label, colour }) => `${label}:${colour}`).join()
  const data = [[...x], ...series.map(({ values }) => [...values])] as uPlot.AlignedData
  const latest = useRef(data)
  latest.current = data

  useEffect(() => {
    const element = host.current
    if (!element) return
    const draw = () => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsOf(element, series, height, inUtc, onPoint), latest.current, element)
    }
    draw()
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    // The canvas keeps the colours that it was drawn with, so that another theme is another drawing.
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
    // New values alone do not need a new drawing: they are set below.
  }, [labels, height, onPoint])

  const shape = JSON.stringify(data)
  useEffect(() => {
    plot.current?.setData(latest.current)
  }, [shape])

  // It has its height before the drawing is in it, so that what is below does not move.
  return <div ref={host} style={{ height }} className="w-full min-w-0 overflow-hidden" aria-hidden="true" />
}

function optionsOf(
  element: HTMLElement,
  series: readonly ChartSeries[],
  height: number,
  inUtc: boolean,
  onPoint: Props['onPoint'],
): uPlot.Options {
  const colourOf = (name: string) =>
    name.startsWith('--') ? getComputedStyle(element).getPropertyValue(name).trim() || 'currentColor' : name
  const alone = (series[0]?.values.length ?? 0) < 2
  const { color: text } = getComputedStyle(element)
  const grid = { stroke: `color-mix(in srgb, ${text} 10%, transparent)`, width: 1 }
  const axis = { stroke: text, grid, ticks: grid, font: '12px system-ui, sans-serif' }
  return {
    width: Math.max(element.clientWidth, 1),
    height,
    legend: { show: false },
    // Buckets of UTC days stand under their own dates, wherever the reader is.
    tzDate: (seconds) => (inUtc ? uPlot.tzDate(new Date(seconds * 1_000), 'UTC') : new Date(seconds * 1_000)),
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: {
      ...(alone
        ? { x: { range: (_: uPlot, low: number, high: number): uPlot.Range.MinMax => [low - aroundSeconds, high + aroundSeconds] } }
        : {}),
      y: { range: (_, __, high) => [0, Math.max(high * 1.08, 1)] },
    },
    axes: [
      axis,
      { ...axis, size: 56, values: (_, splits) => splits.map((split) => (Number.isInteger(split) ? split.toLocaleString('en-US') : '')) },
    ],
    series: [
      {},
      ...series.map(({ label, colour }, index) => ({
        label,
        stroke: colourOf(colour),
        width: 2,
        dash: dashesOf(index),
        // A line needs two points; one alone is a dot.
        points: { show: alone },
      })),
    ],
  }
}
