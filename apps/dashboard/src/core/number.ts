const grouped = new Intl.NumberFormat('en')

/** Writes a number with its thousands separated: 12,431. */
export const countText = (value: number): string => grouped.format(value)

/** Writes a share such as "3.1 %", or "–" when `of` is 0. A share above zero is never shown as 0 %, and less than the whole never as 100 %. */
export function percentText(value: number, of: number, digits = 1): string {
  if (of === 0) return '–'
  const share = (value / of) * 100
  const smallest = 10 ** -digits
  if (share > 0 && share < smallest) return `< ${smallest.toFixed(digits)} %`
  if (share < 100 && share > 100 - smallest) return `> ${(100 - smallest).toFixed(digits)} %`
  return `${share.toFixed(share === 0 || share === 100 ? 0 : digits)} %`
}
