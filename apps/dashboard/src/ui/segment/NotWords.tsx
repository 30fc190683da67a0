/** Shows "not" before a condition or a group, once for each `not` around it. */
export function NotWords({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className="rounded bg-bad-soft px-1.5 py-0.5 text-xs font-semibold text-bad">
      {Array.from({ length: count }, () => 'not').join(' ')}
    </span>
  )
}
