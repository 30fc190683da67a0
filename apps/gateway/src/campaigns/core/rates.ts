import type { Stats } from '@herald/contracts/stats'

export type Rates = { delivery: number | null; open: number | null; click: number | null }

/**
 * Gives a campaign's rates with 4 decimals: delivered divided by sent, opened and clicked divided by delivered. A rate is null while its divisor is 0
 * (spec: tracking/rates).
 */
export const ratesOf = ({ sent, delivered, opened, clicked }: Stats): Rates => ({
  delivery: fraction(delivered, sent),
  open: fraction(opened, delivered),
  click: fraction(clicked, delivered),
})

const fraction = (part: number, whole: number): number | null => (whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000)
