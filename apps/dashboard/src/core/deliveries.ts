/** The fields of a webhook delivery that the pages show. */
export type DeliveryFacts = {
  id: string
  state: 'pending' | 'delivered' | 'failed' | 'erased'
  attempts: readonly { at: string; status: number | null; error: string | null; latencyMs: number }[]
  replayable: boolean
  createdAt: string
}

export type DeliveryTick = { id: string; kind: 'good' | 'bad' | 'busy' | 'off'; latencyMs: number | null; label: string }

const kinds = { delivered: 'good', failed: 'bad', pending: 'busy', erased: 'off' } as const

/** Gives the parts of the bar of deliveries, oldest first: each has the delivery's state, and how long its last attempt took. */
export const ticksOf = (deliveries: readonly DeliveryFacts[]): DeliveryTick[] =>
  deliveries.toReversed().map(({ id, state, attempts }) => {
    const last = attempts.at(-1)
    return { id, kind: kinds[state], latencyMs: last?.latencyMs ?? null, label: `${id}: ${state}${last ? `, ${answerOf(last)}` : ''}` }
  })

/** Says in words how an attempt ended: the endpoint's status or why there was none, and after how long. */
export const answerOf = ({ status, error, latencyMs }: { status: number | null; error: string | null; latencyMs: number }): string =>
  `${status === null ? (wordsOfError[error ?? ''] ?? error ?? 'no answer') : status} after ${Math.round(latencyMs).toLocaleString('en')} ms`

const wordsOfError: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  network_error: 'no connection',
  blocked_address: 'address not allowed',
}

/** Says what an operator can do about the answer of an endpoint; null when the endpoint accepted the delivery with 2xx. */
export function remedyOfAnswer(status: number | null, error: string | null): string | null {
  if (status !== null && status >= 200 && status < 300) return null
  if (error === 'blocked_address')
    return 'The name of this endpoint leads to an address that Herald does not connect to: this machine or a private network. Give the endpoint a public address, or allow private ones with WEBHOOK_ALLOW_PRIVATE in development.'
  if (error === 'timeout') return 'The endpoint did not answer within 10 seconds. Store the events, answer at once, and work on them later.'
  if (status === null)
    return 'Could not connect. Check that the endpoint is up, that its certificate is valid for its name, and that this machine can reach it.'
  if (status === 401 || status === 403)
    return 'The endpoint refuses the request. Check that it verifies the signature over the raw bytes with this endpoint’s secret, and that no firewall blocks it.'
  if (status === 404 || status === 410) return 'Nothing answers at this path. Check the URL of the endpoint.'
  if (status === 429) return 'The endpoint limits the rate of requests. A delivery waits as it says, and is tried again.'
  if (status >= 300 && status < 400)
    return 'The endpoint redirects, and Herald follows no redirect. Give it the URL that the redirect leads to.'
  return status >= 500
    ? 'The endpoint failed. Look into its log at the time of the attempt.'
    : 'The endpoint refuses this request for good. Look into its log at the time of the attempt.'
}

/**
 * Counts the failed deliveries that can be sent again, by the hour (UTC) in which each was made. The page has a button that sends all failed
 * deliveries of one hour again.
 */
export function failedHours(deliveries: readonly DeliveryFacts[]): { from: string; to: string; count: number }[] {
  const failed = deliveries.filter(({ state, replayable }) => state === 'failed' && replayable)
  const hours = Map.groupBy(failed, ({ createdAt }) => `${createdAt.slice(0, 13)}:00:00.000Z`)
  return [...hours].map(([from, all]) => ({ from, to: new Date(Date.parse(from) + 3_600_000).toISOString(), count: all.length }))
}

/** Gives a shell command that computes the signature of the body in `file`, so that an operator can check a receiver without writing code. */
export const verifyCommand = (file: string): string =>
  [
    '# t and v1 are those of the header x-service-signature; body.json holds the body, byte for byte',
    `printf '%s.' "$T" | cat - ${file} | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET"`,
    '# the result must equal v1, and t must be at most 300 seconds old',
  ].join('\n')
