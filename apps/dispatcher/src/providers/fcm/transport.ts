import type { KeyObject } from 'node:crypto'
import type { OriginEvent } from '@herald/http2/client/origin'
import type { WayOut } from '@herald/service/way-out'
import type { Answer } from '../../core/answer.ts'
import { readAnswer } from '../../core/answer-meaning.ts'
import { answerOf, tell, type Line, type Push, type Transport } from '../provider.ts'
import { openProviderOrigin } from '../provider-origin.ts'
import { openAccessTokens } from './access-token.ts'
import { fcmAnswers, read } from './answers.ts'
import { make, makeHead, type FcmHead } from './request.ts'

/** Opens a `Line` to FCM v1 for one project (Firebase: REST projects.messages.send). */
export function openFcmLine(url: URL, projectId: string, onEvent?: (event: OriginEvent) => void, wayOut?: WayOut): Line {
  const origin = openProviderOrigin(url, onEvent, wayOut)
  let head: FcmHead | undefined
  let headToken = ''
  const headFor = (token: string): FcmHead => {
    if (!head || token !== headToken) head = makeHead(url.host, projectId, token)
    headToken = token
    return head
  }
  return {
    send: (push, token, hear) => origin.request(make(push, headFor(token)), read, hear),
    close: () => origin.close(),
  }
}

/** Opens the transport of one project. It sends over `line`, with an access token of the project's service account. */
export function openFcm({
  clientEmail,
  privateKey,
  tokenUri,
  tokenUrl,
  onSkew,
  line,
  wayOut,
}: {
  clientEmail: string
  privateKey: KeyObject
  tokenUri: string
  /** The address that is asked for tokens instead of `tokenUri`; undefined to ask `tokenUri`. */
  tokenUrl: string | undefined
  /** Is called with how many milliseconds this machine's clock is ahead of the token service's clock; below 0 when it is behind. */
  onSkew: (aheadMs: number) => void
  line: Line
  /** How the token service is reached; directly when it is left out. */
  wayOut?: WayOut
}): Transport {
  const tokens = openAccessTokens({
    clientEmail,
    privateKey,
    audience: tokenUri,
    url: tokenUrl ?? tokenUri,
    onSkew,
    ...(wayOut && { wayOut }),
  })

  const sendFrom = async (push: Push, attempt: number): Promise<Answer> => {
    const access = tokens.fresh ?? (await tokens.current())
    if ('answer' in access) return access.answer
    const answer = await answerOf((hear) => line.send(push, access.token, hear))
    if (!isTokenRefused(answer) || attempt > 1) return answer
    // A token can be revoked before it expires. So the push is sent once more with a new token before the credentials count as wrong.
    tokens.forget(access.token)
    return sendFrom(push, attempt + 1)
  }

  return {
    send(push, hear) {
      const known = tokens.fresh
      if (!known) return tell(sendFrom(push, 1), hear)
      // Nearly every push is sent here, without a promise: its access token is known and FCM accepts it.
      return line.send(push, known.token, (answer) => {
        if (answer instanceof Error || !isTokenRefused(answer)) return hear(answer)
        tokens.forget(known.token)
        return tell(sendFrom(push, 2), hear)
      })
    },
    close: () => line.close(),
  }
}

/** Whether FCM refused the access token. A 401 that speaks of the device's platform (THIRD_PARTY_AUTH_ERROR) does not: the token is good. */
const isTokenRefused = (answer: Answer): boolean =>
  answer.is === 'answered' && answer.status === 401 && readAnswer(fcmAnswers, answer).class === 'config'
