import { countText } from '../core/number.ts'

/** Shows a number with thousands separated: 12,431. */
export function Count({ value }: { value: number | null | undefined }) {
  return <span className="tabular-nums">{value === null || value === undefined ? '–' : countText(value)}</span>
}
