/**
 * Where this surface can be reached: what the operator says, else what the request was asked at. Null when it does not say. Of a proxy `x-forwarded-proto` is believed:
 * whoever asks is told of nothing but their own request.
 */
export function baseUrlOf(configured: string | undefined, header: (name: string) => string | undefined): string | null {
  if (configured !== undefined) return configured.replace(/\/+$/, '')
  const host = header('host')
  if (host === undefined || !/^[A-Za-z0-9.:[\]-]{1,255}$/.test(host)) return null
  return `${header('x-forwarded-proto') === 'https' ? 'https' : 'http'}://${host}`
}
