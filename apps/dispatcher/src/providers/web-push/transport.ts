import { endpointProblem, isNamed, type EndpointRule } from '@herald/contracts/destination'
import type { OriginEvent } from '@herald/http2/client/origin'
import type { Guard } from '@herald/service/guarded-connect'
import type { Answer } from '../../core/answer.ts'
import { tell, type Push, type Transport } from '../provider.ts'
import { read } from './answers.ts'
import { openPushHosts } from './push-hosts.ts'
import { openPushServices, usualSizes } from './push-services.ts'
import { make, openHeads, type VapidCredentials } from './request.ts'

/** Sends to push services. Each app has a transport, and all transports of the process share their connections. */
export type WebPush = {
  forApp(credentials: VapidCredentials): Transport
  close(): Promise<void>
}

/** Opens what sends web pushes (RFC 8030, 8188, 8291, 8292). A redirect is not followed: it is read as the answer to the push. */
export function openWebPush(guard: Guard, rule: EndpointRule, onEvent?: (event: OriginEvent) => void): WebPush {
  const services = openPushServices(guard, usualSizes, onEvent)
  const hosts = openPushHosts()

  return {
    forApp({ appId, ...vapid }) {
      const headFor = openHeads(vapid)
      const send = async (push: Push): Promise<Answer> => {
        if (endpointProblem(push.address, rule) !== undefined) return { is: 'unsendable', why: 'address' }
        const url = new URL(push.address)
        const request = make(appId, push, url, headFor(url))
        if (!request) return { is: 'unsendable', why: 'keys' }
        const named = isNamed(push.address, rule)
        const entered = await hosts.enter({ appId, host: url.host, isNamed: named })
        if (entered.is === 'refused') return { is: 'unsent', reason: entered.reason }
        const answer = read(await services.send(request, { isNamed: named, isTrial: entered.isTrial }), url.hostname)
        entered.leave(wasThere(answer))
        return answer
      }
      return { send: (push, hear) => tell(send(push), hear), close: () => Promise.resolve() }
    },
    close: () => services.close(),
  }
}

/**
 * Says whether the host answered a push. Undefined when not known: a host that did not process it (GOAWAY, REFUSED_STREAM) is busy or stopping, and
 * an unsendable push never reaches its host.
 */
const wasThere = (answer: Answer): boolean | undefined =>
  answer.is === 'unsendable' || answer.is === 'refused' ? undefined : answer.is === 'answered'

/** Gives the host and port of an endpoint's push service; `invalid` when the endpoint is no URL. */
export const hostOf = (endpoint: string): string => (URL.canParse(endpoint) ? new URL(endpoint).host : 'invalid')
