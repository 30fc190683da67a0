import type { Herald } from '@herald/node'
import { unknownFinding, type Finding } from './finding.ts'

type Checked = { ok: boolean; code: string | null; providerCode: string | null; remedy: string | null }
type Circuit = { platform: string; environment: string; state: string; code: string | null; since: string; heldCount: number }
type Overview = {
  devices: Record<string, { total: number }>
  providers: { kind: string; platform: string; configured: boolean }[]
  circuits: Circuit[]
}
type Webhook = {
  url: string
  enabled: boolean
  disabledReason: string | null
  consecutiveFailures: number
  droppedEvents: number
  lastStatus: number | null
  lastError: string | null
}

/** Checks the providers and the webhook endpoints of an app. */
export async function* appFindings(herald: Herald, path: string): AsyncGenerator<Finding> {
  const overview = await answerTo('app', herald.request<Overview>('GET', `${path}/overview`))
  if ('unknown' in overview) yield overview.unknown
  else yield* overviewFindings(herald, path, overview)
  const webhooks = await answerTo('webhooks', herald.request<{ items: Webhook[] }>('GET', `${path}/webhooks`, { query: { limit: 200 } }))
  if ('unknown' in webhooks) yield webhooks.unknown
  else yield* webhookFindings(webhooks.items)
}

const answerTo = <Answer>(check: string, asked: Promise<Answer>): Promise<Answer | { unknown: Finding }> =>
  asked.catch((error: unknown) => ({ unknown: unknownFinding(check, error) }))

async function* overviewFindings(herald: Herald, path: string, { devices, providers, circuits }: Overview): AsyncGenerator<Finding> {
  for (const { kind, platform, configured } of providers) {
    if (configured) yield await providerFinding(herald, path, kind)
    else if ((devices[platform]?.total ?? 0) > 0)
      yield {
        check: kind,
        state: 'fault',
        says: `There are ${devices[platform]?.total} ${platform} devices, and no credentials to send to them.`,
        remedy: `Set them: PUT …/providers/${kind}, or on the page Providers.`,
      }
    else yield { check: kind, state: 'ok', says: `No credentials, and no ${platform} device that needs them.` }
  }
  yield* circuitFindings(circuits)
}

async function providerFinding(herald: Herald, path: string, kind: string): Promise<Finding> {
  try {
    const { ok, code, providerCode, remedy } = await herald.request<Checked>('POST', `${path}/providers/${kind}/check`, {
      repeatable: true,
      timeoutMs: 25_000,
      totalTimeoutMs: 60_000,
    })
    if (ok) return { check: kind, state: 'ok', says: 'The provider takes the credentials.' }
    const isSubject = kind === 'webpush' && providerCode === 'subject'
    const says = isSubject
      ? 'Push services refuse the VAPID subject.'
      : `The provider does not take the credentials: ${providerCode ?? code ?? 'no reason given'}.`
    return { check: isSubject ? 'VAPID subject' : kind, state: 'fault', says, ...(remedy === null ? {} : { remedy }) }
  } catch (error) {
    return unknownFinding(kind, error)
  }
}

function* circuitFindings(circuits: Circuit[]): Generator<Finding> {
  const open = circuits.filter(({ state }) => state === 'open')
  if (open.length === 0) yield { check: 'circuits', state: 'ok', says: 'All closed: pushes go out.' }
  for (const { platform, environment, code, since, heldCount } of open) {
    const way = environment === '' ? platform : `${platform} (${environment})`
    const says = `The circuit of ${way} is open since ${since}, for ${code ?? 'an unknown reason'}: ${heldCount} pushes are held.`
    const remedy = 'Mend what the check of this provider says. Then pushes go out by themselves; POST …/probe looks at once.'
    yield { check: 'circuits', state: 'fault', says, remedy }
  }
}

function* webhookFindings(items: Webhook[]): Generator<Finding> {
  let isWell = true
  for (const { url, enabled, disabledReason, consecutiveFailures, droppedEvents, lastStatus, lastError } of items) {
    // Only the host is printed: the path of a webhook endpoint may contain a secret.
    const host = new URL(url).host
    const last = lastStatus === null ? (lastError ?? 'no answer') : `status ${lastStatus}`
    if (!enabled) {
      const why = disabledReason === 'consecutive_failures' ? `after 50 deliveries in a row that failed (${last})` : 'by hand'
      yield {
        check: 'webhooks',
        state: 'fault',
        says: `The endpoint at ${host} was switched off ${why}.`,
        remedy: 'Mend the receiver, then enable it: POST …/webhooks/<id>/enable.',
      }
    } else if (consecutiveFailures > 0)
      yield {
        check: 'webhooks',
        state: 'fault',
        says: `The last ${consecutiveFailures} deliveries to ${host} failed (${last}).`,
        remedy: 'Look at the receiver’s log: it must answer 2xx within 10 s.',
      }
    else if (droppedEvents > 0)
      yield { check: 'webhooks', state: 'note', says: `${droppedEvents} events for ${host} were dropped while it did not take them.` }
    else continue
    isWell = false
  }
  if (isWell) yield { check: 'webhooks', state: 'ok', says: items.length === 0 ? 'No endpoint.' : 'The endpoints take their deliveries.' }
}
