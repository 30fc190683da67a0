const limitMs = 10_000

/**
 * Sends a request without the operator's session: for the public OpenAPI document, or for a tracking call as a device makes it. Throws an Error with
 * the HTTP status when the request is refused.
 */
export async function askOutside(
  path: string,
  { method = 'GET', signal }: { method?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const limit = AbortSignal.timeout(limitMs)
  const response = await fetch(path, { method, credentials: 'omit', signal: signal ? AbortSignal.any([signal, limit]) : limit })
  if (!response.ok) throw new Error(`Herald answered ${response.status}`)
  return response
}
