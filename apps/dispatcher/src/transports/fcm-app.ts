import type { KeyObject } from 'node:crypto'
import { openAccessTokens } from './access-token.ts'
import type { Line } from './line.ts'
import type { Transport } from './transport.ts'

/** Sends the pushes of one project over `line`, with an access token of its service account. */
export function openFcm({
  clientEmail,
  privateKey,
  tokenUri,
  tokenUrl,
  onSkew,
  line,
}: {
  clientEmail: string
  privateKey: KeyObject
  /** The account's `token_uri`. */
  tokenUri: string
  /** Where tokens are asked for instead, or undefined. */
  tokenUrl: string | undefined
  /** This machine's clock is so many milliseconds ahead of the token service's (behind: below 0). */
  onSkew: (aheadMs: number) => void
  line: Line
}): Transport {
  const tokens = openAccessTokens({ clientEmail, privateKey, audience: tokenUri, url: tokenUrl ?? tokenUri, onSkew })

  return {
    async send(push) {
      for (let attempt = 1; ; attempt += 1) {
        const access = tokens.fresh ?? (await tokens.current())
        if ('answer' in access) return access.answer
        const answer = await line.send(push, access.token)
        if (answer.is !== 'answered' || answer.status !== 401 || attempt > 1) return answer
        // A token can be revoked before its time: once with a new one, before our credentials are called wrong.
        tokens.forget(access.token)
      }
    },
    close: () => line.close(),
  }
}
