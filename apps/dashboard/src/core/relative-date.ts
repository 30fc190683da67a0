/** Reads a relative date such as `-14d`; undefined when the value is no relative date. */
export function readRelative(value: unknown): { sign: '-' | '+'; count: number; unit: 'm' | 'h' | 'd' | 'w' } | undefined {
  const [, sign, digits, unit] = (typeof value === 'string' ? /^([+-])(\d{1,5})([mhdw])$/.exec(value) : null) ?? []
  if (sign === undefined) return undefined
  return { sign: sign as '-' | '+', count: Number(digits), unit: unit as 'm' | 'h' | 'd' | 'w' }
}
