import type { ReactNode } from 'react'

/** Shows labels with their values in two columns, or in one on a narrow screen. */
export function FactList({ items }: { items: readonly { label: string; value: ReactNode }[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 max-[480px]:grid-cols-1">
      {items.map(({ label, value }, place) => (
        <div key={`${label} ${place}`} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 break-words max-[480px]:mb-1.5">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
