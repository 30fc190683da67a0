import { prepareHead, type PreparedHead } from '@herald/http2/client/head'
import type { Request } from '@herald/http2/client/stream'
import { answerLimitMs, type Push } from '../provider.ts'

/** What all pushes of a project share while they have the same access token. */
export type FcmHead = { readonly head: PreparedHead; readonly path: string }

export const makeHead = (authority: string, projectId: string, token: string): FcmHead => ({
  head: prepareHead({
    authority,
    fields: [
      ['authorization', `Bearer ${token}`],
      ['content-type', 'application/json;charset=utf-8'],
    ],
  }),
  path: `/v1/projects/${projectId}/messages:send`,
})

/** Makes the request of a push. Its JSON is FCM's own, and holds the device's token. */
export const make = ({ body }: Push, { head, path }: FcmHead): Request => ({ head, path, body, timeoutMs: answerLimitMs })
