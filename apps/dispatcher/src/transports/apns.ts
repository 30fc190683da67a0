import apn from '@parse/node-apn'
import { apnsCollapseId, apnsId } from '@herald/contracts/payload'
import type { Answer, Environment } from '../core/answer.ts'
import { openApnsConnection, type ApnsConnection } from './apns-connection.ts'
import { openProviderToken, type AskForToken } from './apns-token.ts'
import type { Push, Transport } from './transport.ts'

/** Where the environments are. One that is missing is not tried. */
export type ApnsAddresses = { production?: URL | undefined; sandbox?: URL | undefined }

/** Sends to APNs (Apple: Sending notification requests to APNs) through node-apn; a connection per environment. */
export function openApns({
  topic,
  environment: own,
  addresses,
  askForToken,
}: {
  topic: string
  environment: Environment
  addresses: ApnsAddresses
  askForToken: AskForToken
}): Transport {
  const token = openProviderToken(askForToken)
  const connections = new Map<Environment, ApnsConnection>()
  const connectionTo = (environment: Environment, url: URL): ApnsConnection => {
    const known = connections.get(environment) ?? openApnsConnection(url, environment)
    connections.set(environment, known)
    return known
  }

  const sendTo = async (environment: Environment, url: URL, push: Push): Promise<Answer> => {
    const connection = connectionTo(environment, url)
    const providerToken = await token.current().catch(() => undefined)
    if (providerToken === undefined) return { is: 'unsent', reason: 'no provider token' }
    if (providerToken === null) return noToken
    const answer = await connection.send(notificationOf(push, topic), push.address, providerToken)
    if (answer.is !== 'answered' || answer.reason !== 'ExpiredProviderToken') return answer
    // Repeated once, with a fresh token, if ours was old enough to get one.
    const fresh = await token.renew(providerToken).catch(() => null)
    if (fresh === null || fresh === providerToken) return answer
    return connection.send(notificationOf(push, topic), push.address, fresh)
  }

  return {
    async send(push) {
      const [first, other] = environmentsFor(push.environment ?? own, addresses)
      if (!first) throw new Error('no address of APNs is configured')
      const answer = await sendTo(first.environment, first.url, push)
      if (!other || answer.is !== 'answered' || answer.status !== 400 || answer.reason !== 'BadDeviceToken') return answer
      // A sandbox token in production is not dead: the other environment has a say before the token is given up.
      const second = await sendTo(other.environment, other.url, push)
      const isNo = second.is === 'answered' && (second.status === 400 || second.status === 403)
      return isNo ? answer : second
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()))
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

/** The headers of decisions.md 3: background pushes have priority 5, expiration 0 is now or never. */
function notificationOf(push: Push, topic: string): apn.Notification {
  const notification = new apn.Notification()
  notification.topic = topic
  notification.id = apnsId(push.msgId)
  notification.pushType = push.silent ? 'background' : 'alert'
  notification.priority = push.silent || push.priority === 'normal' ? 5 : 10
  notification.expiry = push.ttlSeconds === 0 ? 0 : push.expiresAtSeconds
  if (push.collapseId !== null) notification.collapseId = apnsCollapseId(push.collapseId)
  // The library stringifies `rawPayload`; the JSON is at hand already, measured and cut to size.
  return Object.assign(notification, { compiled: push.body })
}
