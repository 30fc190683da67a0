import type { ReactNode } from 'react'

const drawings = {
  /** A phone on which a message arrives: nothing is there yet. */
  nothing: (
    <>
      <rect x="34" y="6" width="28" height="48" rx="5" className="fill-surface stroke-strong" />
      <path d="M43 49h10" className="stroke-strong" />
      <rect x="14" y="16" width="44" height="16" rx="4" className="fill-accent-soft stroke-accent" />
      <path d="M28 22h22M28 27h14" className="stroke-accent" />
      <circle cx="21" cy="24" r="2.5" className="fill-accent stroke-accent" />
    </>
  ),
  /** A lens over a list: nothing matches. */
  found: (
    <>
      <path d="M16 14h40M16 26h20M16 38h16" className="stroke-strong" />
      <circle cx="54" cy="32" r="13" className="fill-accent-soft stroke-accent" />
      <path d="M63 42l10 10" className="stroke-accent" strokeWidth="3" />
    </>
  ),
}

/** Stands in the place of an empty list and says what will be there and what the operator can do about it. */
export function Empty({
  title,
  children,
  action,
  drawing = 'nothing',
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
  drawing?: keyof typeof drawings
}) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line px-6 py-10 text-center">
      <svg viewBox="0 0 88 60" width="88" height="60" fill="none" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
        {drawings[drawing]}
      </svg>
      <p className="text-base font-semibold">{title}</p>
      {children !== undefined && <div className="max-w-[56ch] text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
