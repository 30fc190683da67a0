import { percentText } from '../core/number.ts'

/** Shows a share such as 3.1 %, with the two numbers as its tooltip. */
export function Percent({ value, of, digits }: { value: number; of: number; digits?: number | undefined }) {
  return (
    <span className="tabular-nums" title={`${value} of ${of}`}>
      {percentText(value, of, digits)}
    </span>
  )
}
