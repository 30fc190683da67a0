import type { OriginEvent } from '@herald/http2/client/origin'
import type { Reply } from '@herald/http2/client/reply'
import type { WayOut } from '@herald/service/way-out'
import type { Answer, Environment } from '../../core/answer.ts'
import { answerOf, tell, type Line, type Push, type Transport } from '../provider.ts'
import { openProviderOrigin } from '../provider-origin.ts'
import { read } from './answers.ts'
import { openProviderToken, type AskForToken } from './provider-token.ts'
import { make, makeHeads, type ApnsHeads } from './request.ts'

/** Opens a `Line` to one environment of APNs for one app (Apple: Sending notification requests to APNs). */
export function openApnsLine(
  url: URL,
  environment: Environment,
  topic: string,
  onEvent?: (event: OriginEvent) => void,
  wayOut?: WayOut,
): Line {
  const origin = openProviderOrigin(url, onEvent, wayOut, isOfOtherKey)
  let heads: ApnsHeads | undefined
  let headsToken = ''
  const headsFor = (token: string): ApnsHeads => {
    if (!heads || token !== headsToken) heads = makeHeads(url.host, topic, token)
    headsToken = token
    return heads
  }
  const readHere = (reply: Reply): Answer => read(reply, environment)
  return {
    send: (push, token, hear) => origin.request(make(push, headsFor(token)), readHere, hear),
    close: () => origin.close(),
  }
}

/** The addresses of the environments. Herald does not send to an environment without an address. */
export type ApnsAddresses = { production?: URL | undefined; sandbox?: URL | undefined }

/**
 * Opens the transport of one app. The transport decides which provider token a push gets and which of the two environments it goes to; `openLine`
 * opens the connection to one environment.
 */
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

  const sendTo = async ({ environment, url }: Place, push: Push): Promise<Answer> => {
    const providerToken = token.fresh ?? (await token.current().catch(() => undefined))
    if (providerToken === undefined) return { is: 'unsent', reason: 'no provider token' }
    if (providerToken === null) return noToken
    const answer = await answerOf((hear) => lineTo(environment, url).send(push, providerToken, hear))
    return mayBeRepeated(answer) ? sendOnceMore({ environment, url }, push, providerToken, answer) : answer
  }
  /**
   * Repeats a push once: with a newer provider token if this one had expired, or over a new connection if its connection had begun with another key.
   * Gives `answer` unchanged when there is no newer token.
   */
  const sendOnceMore = async ({ environment, url }: Place, push: Push, used: string, answer: Answer): Promise<Answer> => {
    if (!hasExpired(answer)) return answerOf((hear) => lineTo(environment, url).send(push, used, hear))
    const fresh = await token.renew(used).catch(() => null)
    if (fresh === null || fresh === used) return answer
    return answerOf((hear) => lineTo(environment, url).send(push, fresh, hear))
  }
  /** Asks the other environment before a device token counts as invalid: a token of the sandbox is not dead because production does not know it. */
  const orOther = async (push: Push, answer: Answer): Promise<Answer> => {
    const { 1: other } = orders[push.environment ?? own]
    if (!other || !isWrongEnvironment(answer)) return answer
    const second = await sendTo(other, push)
    const isNo = second.is === 'answered' && (second.status === 400 || second.status === 403)
    return isNo ? answer : second
  }

  return {
    send(push, hear) {
      const { 0: first } = orders[push.environment ?? own]
      if (!first) throw new Error('no address of APNs is configured')
      const known = token.fresh
      if (known === undefined)
        return tell(
          sendTo(first, push).then((answer) => orOther(push, answer)),
          hear,
        )
      // Nearly every push is sent here, without a promise: its provider token is known and APNs accepts it.
      return lineTo(first.environment, first.url).send(push, known, (answer) => {
        if (answer instanceof Error) return hear(answer)
        if (isWrongEnvironment(answer)) return tell(orOther(push, answer), hear)
        if (!mayBeRepeated(answer)) return hear(answer)
        const repeated = sendOnceMore(first, push, known, answer).then((last) => orOther(push, last))
        return tell(repeated, hear)
      })
    },
    async close() {
      await Promise.all([...lines.values()].map((line) => line.close()))
    },
  }
}

type Place = { environment: Environment; url: URL }

const hasExpired = (answer: Answer): boolean => answer.is === 'answered' && answer.reason === 'ExpiredProviderToken'
/** APNs refuses a key that is not related to that of the connection's first push (Apple: Handling notification responses from APNs). */
const otherKey = 'UnrelatedKeyIdInToken'
const isOfOtherKey = (reply: Reply): boolean => reply.is === 'answered' && reply.status === 403 && reply.body.includes(otherKey)
const mayBeRepeated = (answer: Answer): boolean => hasExpired(answer) || (answer.is === 'answered' && answer.reason === otherKey)
const isWrongEnvironment = (answer: Answer): boolean =>
  answer.is === 'answered' && answer.status === 400 && answer.reason === 'BadDeviceToken'

/** Gives the environment to try first and then the other one, leaving out an environment that has no address. */
function environmentsFor(wanted: Environment, addresses: ApnsAddresses): Place[] {
  const order: Environment[] = wanted === 'production' ? ['production', 'sandbox'] : ['sandbox', 'production']
  return order.flatMap((environment) => {
    const url = addresses[environment]
    return url ? [{ environment, url }] : []
  })
}

/** Gives the environment that a push goes to first: the wanted one, unless only the other has an address. */
export const firstEnvironment = (wanted: Environment, addresses: ApnsAddresses): Environment =>
  environmentsFor(wanted, addresses)[0]?.environment ?? wanted

/** The answer to a push when the gateway has no credentials of the app: the one that APNs gives to a request without a provider token. */
const noToken: Answer = {
  is: 'answered',
  status: 403,
  reason: 'MissingProviderToken',
  retryAfterMs: null,
  deadSince: null,
  environment: null,
}
