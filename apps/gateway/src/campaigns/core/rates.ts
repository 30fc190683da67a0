import type { Stats } from '@herald/contracts/stats'

export type Rates = { delivery: number | null; open: number | null; click: number | null }

/**
 * A campaign's rates as decimal fractions of 4 decimals: delivery over sent, open and click over delivered; null when
 * there is nothing to divide by (spec: tracking/rates).
 */
export const ratesOf = ({ sent, delivered, opened, clicked }: Stats): Rates => ({
  delivery: fraction(delivered, sent),
  open: fraction(opened, delivered),
  click: fraction(clicked, delivered),
})

const fraction = (part: number, whole: number): number | null => (whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000)
