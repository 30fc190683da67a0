/**
 * Gives this gateway's address: HERALD_BASE_URL, else the host that the request was sent to, or null when it names no valid host. `x-forwarded-proto`
 * is believed: a client that lies gets a wrong address only itself.
 */
export function baseUrlOf(configured: string | undefined, header: (name: string) => string | undefined): string | null {
  if (configured !== undefined) return configured.replace(/\/+$/, '')
  const host = header('host')
  if (host === undefined || !/^[A-Za-z0-9.:[\]-]{1,255}$/.test(host)) return null
  return `${header('x-forwarded-proto') === 'https' ? 'https' : 'http'}://${host}`
}
