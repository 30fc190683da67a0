import { percentText } from '../core/number.ts'

/** A share of a whole: 3.1 %. Its title says of how many. */
export function Percent({ value, of, digits }: { value: number; of: number; digits?: number | undefined }) {
  return (
    <span className="tabular-nums" title={`${value} of ${of}`}>
      {percentText(value, of, digits)}
    </span>
  )
}
