import type { Answer, Environment } from '../core/answer.ts'
import { openProviderToken, type AskForToken } from './apns-token.ts'
import type { Line } from './line.ts'
import type { Push, Transport } from './transport.ts'

/** Where the environments are. One that is missing is not tried. */
export type ApnsAddresses = { production?: URL | undefined; sandbox?: URL | undefined }

/** Sends the pushes of one app to APNs: with which provider token, and to which of the two environments. `openLine` opens the way to one of them. */
export function openApns({
  topic,
  environment: own,
  addresses,
  askForToken,
  openLine,
}: {
  topic: string
  environment: Environment
  addresses: ApnsAddresses
  askForToken: AskForToken
  openLine: (url: URL, environment: Environment, topic: string) => Line
}): Transport {
  const token = openProviderToken(askForToken)
  const orders = { production: environmentsFor('production', addresses), sandbox: environmentsFor('sandbox', addresses) }
  const lines = new Map<Environment, Line>()
  const lineTo = (environment: Environment, url: URL): Line => {
    const known = lines.get(environment) ?? openLine(url, environment, topic)
    lines.set(environment, known)
    return known
  }

  const sendTo = async (environment: Environment, url: URL, push: Push): Promise<Answer> => {
    const line = lineTo(environment, url)
    const providerToken = token.fresh ?? (await token.current().catch(() => undefined))
    if (providerToken === undefined) return { is: 'unsent', reason: 'no provider token' }
    if (providerToken === null) return noToken
    const answer = await line.send(push, providerToken)
    if (answer.is !== 'answered' || answer.reason !== 'ExpiredProviderToken') return answer
    // Repeated once, with a fresh token, if ours was old enough to get one.
    const fresh = await token.renew(providerToken).catch(() => null)
    if (fresh === null || fresh === providerToken) return answer
    return line.send(push, fresh)
  }

  return {
    async send(push) {
      const { 0: first, 1: other } = orders[push.environment ?? own]
      if (!first) throw new Error('no address of APNs is configured')
      const answer = await sendTo(first.environment, first.url, push)
      if (!other || answer.is !== 'answered' || answer.status !== 400 || answer.reason !== 'BadDeviceToken') return answer
      // A sandbox token in production is not dead: the other environment has a say before the token is given up.
      const second = await sendTo(other.environment, other.url, push)
      const isNo = second.is === 'answered' && (second.status === 400 || second.status === 403)
      return isNo ? answer : second
    },
    async close() {
      await Promise.all([...lines.values()].map((line) => line.close()))
    },
  }
}

/** The environment to try first, and the other one, as far as they have an address. */
function environmentsFor(wanted: Environment, addresses: ApnsAddresses): { environment: Environment; url: URL }[] {
  const order: Environment[] = wanted === 'production' ? ['production', 'sandbox'] : ['sandbox', 'production']
  return order.flatMap((environment) => {
    const url = addresses[environment]
    return url ? [{ environment, url }] : []
  })
}

/** The environment a push goes to first: its origin in the window. */
export const firstEnvironment = (wanted: Environment, addresses: ApnsAddresses): Environment =>
  environmentsFor(wanted, addresses)[0]?.environment ?? wanted

/** The gateway has no credentials (any more): what APNs would say to a request without them. */
const noToken: Answer = {
  is: 'answered',
  status: 403,
  reason: 'MissingProviderToken',
  retryAfterMs: null,
  deadSince: null,
  environment: null,
}
