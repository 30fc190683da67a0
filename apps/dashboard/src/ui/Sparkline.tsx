const width = 100
const height = 24

/** Draws values over time as a small line. `label` says in words what the line shows. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(...values, 1)
  const step = values.length > 1 ? width / (values.length - 1) : width
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(height - 1 - (value / most) * (height - 2)).toFixed(1)}`)
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" className="h-6 w-24">
      <polyline
        points={points.join(' ')}
        fill="none"
        className="stroke-accent"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
        strokeLinejoin="round"
      />
    </svg>
  )
}
