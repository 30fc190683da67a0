const fills = { good: 'fill-good', warning: 'fill-warning', bad: 'fill-bad', busy: 'fill-accent', off: 'fill-strong' }

/** Draws a share as a bar. `label` says the share in words, for screen readers. */
export function Bar({
  value,
  of,
  kind = 'busy',
  label,
}: {
  value: number
  of: number
  kind?: keyof typeof fills | undefined
  label: string
}) {
  const share = of === 0 ? 0 : Math.min(100, Math.max(0, (value / of) * 100))
  return (
    <svg role="img" aria-label={label} viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-full min-w-12 rounded-full">
      <rect width="100" height="6" className="fill-sunken" />
      {share > 0 && <rect width={Math.max(share, 1)} height="6" className={fills[kind]} />}
    </svg>
  )
}
