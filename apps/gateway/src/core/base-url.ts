/**
 * Gives the address at which this gateway can be reached: HERALD_BASE_URL when it is set, else the host that the request was sent to. Null when
 * neither is known, because the request names no valid host. `x-forwarded-proto` is believed without a check: a client that sends a wrong one only
 * gets a wrong address itself.
 */
export function baseUrlOf(configured: string | undefined, header: (name: string) => string | undefined): string | null {
  if (configured !== undefined) return configured.replace(/\/+$/, '')
  const host = header('host')
  if (host === undefined || !/^[A-Za-z0-9.:[\]-]{1,255}$/.test(host)) return null
  return `${header('x-forwarded-proto') === 'https' ? 'https' : 'http'}://${host}`
}
