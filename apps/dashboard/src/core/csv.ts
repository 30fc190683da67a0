/** A spreadsheet takes a cell that begins with one of these characters for a formula. */
const formula = /^[=+\-@\t\r]/

/** Writes a cell of a CSV. A cell that begins like a formula gets an apostrophe before it, so that a spreadsheet shows it and does not run it. */
export function csvCell(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a CSV with a header and the line ends of RFC 4180. */
export const csvOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
